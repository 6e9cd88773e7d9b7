/**
 * Does work once for each key: so one operation sees one state of what it loads, and the reference executor the same failure.
 * @param work gives the value, or a promise of it
 * @param identify what equal keys have in common
 */
export const memo = <Value, Key = void>(
  work: (key: Key) => Value,
  identify: (key: Key) => unknown = (key) => key,
): ((key: Key) => Value) => {
  // Created when first used: most operations use few of their memos.
  let values: Map<unknown, Value> | undefined;
  return (key) => {
    values ??= new Map();
    const id = identify(key);
    let value = values.get(id);
    if (value === undefined) {
      value = work(key);
      values.set(id, value);
    }
    return value;
  };
};
