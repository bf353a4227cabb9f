import { createHydrantError } from '../errors/hydrant-error.ts'

/** Messages by the names of their fields (`items[0].name`). The empty name is for the whole form. */
export type FormMessages = Readonly<Record<string, string | readonly string[]>>

const messagesOf = new WeakMap<object, FormMessages>()

/**
 * Ends an action because the form has problems that only the action can find, by throwing:
 * `invalidForm({ email: 'This address has an account.' })`. The response has the status 422, and shows the page again
 * with these messages in `invalid.issues` and the visitor's texts in `invalid.values`. A JSON client gets the
 * messages as problem+json.
 *
 * Outside of an action, the call is the failure HYD_INVALID_FORM.
 *
 * @param messages One or more messages for each field; those of the whole form have the empty name.
 */
export function invalidForm(messages: FormMessages): never {
  // An error, so that a call outside of an action is a failure with the line of the call.
  const error = createHydrantError('HYD_INVALID_FORM', [])
  Error.captureStackTrace(error, invalidForm)
  messagesOf.set(error, messages)
  throw error
}

/** Returns the messages of a value that `invalidForm` has thrown; null for any other value. */
export function formMessagesOf(thrown: unknown): FormMessages | null {
  return typeof thrown === 'object' && thrown !== null ? (messagesOf.get(thrown) ?? null) : null
}
