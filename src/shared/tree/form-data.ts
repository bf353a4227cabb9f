import type { SubmitBody } from './navigation-state.ts'

/** Returns fields as a `FormData`. */
export function formDataOf(content: SubmitBody): FormData {
  if (content instanceof FormData) return content
  const formData = new FormData()
  const entries = content instanceof URLSearchParams ? content : Object.entries(content)
  for (const [name, value] of entries) formData.append(name, value)
  return formData
}
