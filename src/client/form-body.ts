// What a form sends, written as the browser writes it.

import type { SubmitBody } from '../shared/tree/navigation-state.ts'

export const MULTIPART = 'multipart/form-data'

export function formDataOf(content: SubmitBody): FormData {
  if (content instanceof FormData) return content
  const formData = new FormData()
  const entries = content instanceof URLSearchParams ? content : Object.entries(content)
  for (const [name, value] of entries) formData.append(name, value)
  return formData
}

/** @param enctype The form's; missing for what a script sends. */
export function bodyOf(formData: FormData, enctype?: string): FormData | URLSearchParams {
  const entries = [...formData]
  if (enctype === MULTIPART) return formData
  // Without files in the short form that every parser reads.
  if (enctype === undefined && entries.some(([, value]) => typeof value !== 'string')) return formData
  return new URLSearchParams(
    entries.map(([name, value]) => [name, enctype === undefined ? String(value) : withLineBreaks(value)]),
  )
}

// As forms are sent. A `FormData` is written so by itself.
function withLineBreaks(value: FormDataEntryValue): string {
  return (typeof value === 'string' ? value : value.name).replace(/\r\n?|\n/g, '\r\n')
}

/** The same for the same fields to the same address. */
export function keyOf(url: URL, formData: FormData): string {
  const seen = (value: FormDataEntryValue) =>
    typeof value === 'string' ? value : [value.name, value.size, value.lastModified]
  return JSON.stringify([url.href, [...formData].map(([name, value]) => [name, seen(value)])])
}
