import type { Options } from '../options/options.ts'
import { HttpError } from '../thrown/http-error.ts'

/** The limits of a form: the options `forms` and `bodyLimit`. */
export type FormLimits = Options['forms'] & Pick<Options, 'bodyLimit'>

/** An option that limits forms. */
export type LimitName = 'bodyLimit' | `forms.${keyof Options['forms']}`

/**
 * Creates the error for a form that exceeds a limit. It names the option. The status is 413, or 429 if the files of
 * other requests take up the space.
 */
export function createTooLarge(option: LimitName, limits: FormLimits): HttpError {
  const { bodyLimit, maxFields, maxFiles, maxFileBytes } = limits
  switch (option) {
    case 'bodyLimit':
      return new HttpError(413, `The body is larger than ${bodyLimit} bytes (${option}).`)
    case 'forms.maxFields':
      return new HttpError(413, `The form has more than ${maxFields} fields (${option}).`)
    case 'forms.maxFiles':
      return new HttpError(413, `The form has more than ${maxFiles} files (${option}).`)
    case 'forms.maxFileBytes':
      return new HttpError(413, `A file of the form is larger than ${maxFileBytes} bytes (${option}).`)
    case 'forms.maxUploadBytes':
      return new HttpError(429, `Too many files are being uploaded. Try again later (${option}).`)
  }
}

/** Creates the error for a malformed form, with the status 400. */
export function createMalformed(cause?: unknown): HttpError {
  return new HttpError(400, 'The form is malformed.', { cause })
}
