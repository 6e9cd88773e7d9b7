/** Remembers what was loaded for each key, so that one operation sees one state of it and asks for it once. */
export const memo = <Key, Value>(load: (key: Key) => Promise<Value>): ((key: Key) => Promise<Value>) => {
  // Made when first used: most operations use few of their memos.
  let known: Map<Key, Promise<Value>> | undefined;
  return (key) => {
    known ??= new Map();
    let value = known.get(key);
    if (!value) {
      value = load(key);
      known.set(key, value);
    }
    return value;
  };
};
