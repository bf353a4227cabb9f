/** Escapes text for the content of an element, and for the value of a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/["'&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Escapes JSON for a `<script>`, so that it can neither end the script nor begin a comment. */
export function escapeScript(json: string): string {
  // perf: most data has none of these characters, 0.1 µs instead of 3.5 µs for 12 kB, commit 47309f76
  if (!json.includes('<') && !json.includes('\u2028') && !json.includes('\u2029')) return json
  return json.replace(/[<\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
