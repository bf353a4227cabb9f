import type { IncomingHttpHeaders } from 'node:http'
import type { Options } from '../options/options.ts'

type ReportOptions = Options['reports']

/** The request headers by which visitors ask not to be followed. */
export const PRIVACY_HEADERS = ['DNT', 'Sec-GPC'] as const

/** Does the visitor ask not to be followed, and is that heeded? */
export function isPrivate({ respectPrivacySignals }: ReportOptions, headers: IncomingHttpHeaders): boolean {
  return respectPrivacySignals && (headers.dnt === '1' || headers['sec-gpc'] === '1')
}

/** Whether a document may report failures to the server. */
export function mayReport(options: ReportOptions, headers: IncomingHttpHeaders): boolean {
  return options.enabled && !isPrivate(options, headers)
}
