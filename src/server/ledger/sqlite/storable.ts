type Value = string | number | null

/** Replaces NUL in a text: the driver would cut the text off there. JSON is not changed, because it escapes NUL. */
export function storable<T extends Value>(value: T): T | string {
  return typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value
}

/** Returns a row with values that the driver stores completely. */
export function storableRow(row: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, storable(value)]))
}
