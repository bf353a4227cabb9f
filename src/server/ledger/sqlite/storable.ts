/** Replaces NUL, at which the driver would cut the text off. JSON need not be passed: it escapes NUL. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd')
}
