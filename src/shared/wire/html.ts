/** Makes text safe as the content of an element and as a quoted attribute's value. */
export function escapeHtml(text: string): string {
  return text.replace(/["'&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Makes JSON safe inside a `<script>`: nothing in it can end the script or begin a comment. */
export function escapeScript(json: string): string {
  return json.replace(/[<\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
