import type { Options } from '../options/options.ts'
import { HttpError } from '../thrown/http-error.ts'

/** What a form may hold: the options of that name. */
export type FormLimits = Options['forms'] & Pick<Options, 'bodyLimit'>

/** What is refused with 413, or with 429 when it is others who have taken the room, says which limit it has passed. */
export function createTooLarge(option: 'bodyLimit' | `forms.${keyof Options['forms']}`, limits: FormLimits): HttpError {
  const { bodyLimit, maxFields, maxFieldBytes, maxFiles, maxFileBytes } = limits
  switch (option) {
    case 'bodyLimit':
      return new HttpError(413, `The body is larger than ${bodyLimit} bytes (${option}).`)
    case 'forms.maxFields':
      return new HttpError(413, `The form has more than ${maxFields} fields (${option}).`)
    case 'forms.maxFieldBytes':
      return new HttpError(413, `A field of the form is larger than ${maxFieldBytes} bytes (${option}).`)
    case 'forms.maxFiles':
      return new HttpError(413, `The form has more than ${maxFiles} files (${option}).`)
    case 'forms.maxFileBytes':
      return new HttpError(413, `A file of the form is larger than ${maxFileBytes} bytes (${option}).`)
    case 'forms.maxUploadBytes':
      return new HttpError(429, `Too many files are being uploaded. Try again later (${option}).`)
  }
}

export function createMalformed(cause?: unknown): HttpError {
  return new HttpError(400, 'The form is malformed.', { cause })
}
