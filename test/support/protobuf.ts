/** The fields of a message by their numbers, as the caller knows them to be. */
export interface ProtobufFields {
  readonly has: (field: number) => boolean;
  /** Of a `string` or `bytes`; empty where there is none. */
  readonly bytes: (field: number) => Buffer;
  /** Of an integer; 0 where there is none. */
  readonly number: (field: number) => bigint;
  readonly message: (field: number) => ProtobufFields;
  readonly messages: (field: number) => ProtobufFields[];
}

/** Reads a message without its schema: https://protobuf.dev/programming-guides/encoding/ */
export const readProtobuf = (bytes: Buffer): ProtobufFields => {
  const values = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    if (at > bytes.length) throw new Error('the message ends within a field');
    return bytes.subarray(at - length, at);
  };
  const VALUES: Readonly<Record<number, () => bigint | Buffer>> = {
    0: varint,
    1: () => take(8).readBigUInt64LE(),
    2: () => take(Number(varint())),
    5: () => BigInt(take(4).readUInt32LE()),
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const value = VALUES[tag & 7]?.();
    if (value === undefined) throw new Error(`no wire type: ${tag & 7}`);
    values.set(tag >>> 3, [...(values.get(tag >>> 3) ?? []), value]);
  }

  const buffers = (field: number): Buffer[] => (values.get(field) ?? []).filter((value) => Buffer.isBuffer(value));
  return {
    has: (field) => values.has(field),
    bytes: (field) => buffers(field)[0] ?? Buffer.alloc(0),
    number: (field) => {
      const [value = 0n] = values.get(field) ?? [];
      return typeof value === 'bigint' ? value : 0n;
    },
    message: (field) => readProtobuf(buffers(field)[0] ?? Buffer.alloc(0)),
    messages: (field) => buffers(field).map(readProtobuf),
  };
};
