// The body of a submitted form, as the browser would write it.

export const MULTIPART = 'multipart/form-data'

/**
 * Returns the body of the request.
 *
 * @param enctype The form's encoding; undefined for the fields of a script.
 */
export function bodyOf(formData: FormData, enctype?: string): FormData | URLSearchParams {
  if (enctype === MULTIPART) return formData
  // Fields of a script are multipart only if there are files.
  if (enctype === undefined && hasFiles(formData)) return formData
  return new URLSearchParams(
    [...formData].map(([name, value]) => [name, enctype === undefined ? String(value) : withLineBreaks(value)]),
  )
}

export function hasFiles(formData: FormData): boolean {
  return [...formData].some(([, value]) => typeof value !== 'string')
}

// Browsers send the line breaks of forms as CRLF. They do that themselves for a `FormData`.
function withLineBreaks(value: FormDataEntryValue): string {
  return (typeof value === 'string' ? value : value.name).replace(/\r\n?|\n/g, '\r\n')
}

/** Returns the same text for the same fields to the same URL. */
export function keyOf(url: URL, formData: FormData): string {
  return JSON.stringify([url.href, [...formData].map(([name, value]) => [name, describeValue(value)])])
}

function describeValue(value: FormDataEntryValue): unknown {
  if (typeof value === 'string') return value
  const { name, size, lastModified } = value
  // A field without a chosen file has an empty file with the time at which the form is read.
  return name === '' && size === 0 ? [] : [name, size, lastModified]
}
