import type { Options } from '../options/options.ts'
import { HttpError } from '../thrown/http-error.ts'

/** The limits of a form: the options `forms` and `bodyLimit`. */
export type FormLimits = Options['forms'] & Pick<Options, 'bodyLimit'>

/** An option that limits forms. */
export type LimitName = 'bodyLimit' | `forms.${keyof Options['forms']}`

/** The refusal of a form that exceeds a limit. Its message is for the visitor, so it does not name the option. */
class ExceededLimit extends HttpError {
  readonly option: LimitName

  constructor(statusCode: number, message: string, option: LimitName) {
    super(statusCode, message)
    this.option = option
  }
}

/**
 * Creates the error for a form that exceeds a limit. The status is 413, or 429 if the files of other requests take up
 * the space.
 */
export function createTooLarge(option: LimitName, limits: FormLimits): HttpError {
  const { bodyLimit, maxFields, maxFiles, maxFileBytes } = limits
  switch (option) {
    case 'bodyLimit':
      return new ExceededLimit(413, `The data that you sent is larger than ${bodyLimit} bytes.`, option)
    case 'forms.maxFields':
      return new ExceededLimit(413, `The form has more than ${maxFields} fields.`, option)
    case 'forms.maxFiles':
      return new ExceededLimit(413, `The form has more than ${maxFiles} files.`, option)
    case 'forms.maxFileBytes':
      return new ExceededLimit(413, `A file of the form is larger than ${maxFileBytes} bytes.`, option)
    case 'forms.maxUploadBytes':
      return new ExceededLimit(429, 'Too many files are being uploaded. Try again later.', option)
  }
}

/** Returns the end of a log line about a refusal: the option whose limit was exceeded; empty for other refusals. */
export function nameOption(refusal: unknown): string {
  return refusal instanceof ExceededLimit ? ` ("${refusal.option}")` : ''
}

/** Creates the error for a malformed form, with the status 400. */
export function createMalformed(cause?: unknown): HttpError {
  return new HttpError(400, 'The form is malformed.', { cause })
}
