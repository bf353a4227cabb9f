// Puts texts together that are JSON already, so that nothing is parsed or written twice. The texts must be as
// `JSON.stringify` writes them, without spaces around the brackets.

/** Returns one object with the fields of both: `{"a":1}` and `{"b":2}` are `{"a":1,"b":2}`. */
export function joinFields(first: string, second: string): string {
  if (first === '{}') return second
  return second === '{}' ? first : `${first.slice(0, -1)},${second.slice(1)}`
}

/** Returns the object with one more field, whose value is JSON. `name` must not need escaping. */
export function addField(object: string, name: string, value: string): string {
  return `${object.slice(0, -1)}${object === '{}' ? '' : ','}"${name}":${value}}`
}

/** Returns the array with one more item, which is JSON, before all others. */
export function prependItem(item: string, array: string): string {
  return array === '[]' ? `[${item}]` : `[${item},${array.slice(1)}`
}
