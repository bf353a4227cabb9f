import type { IncomingHttpHeaders } from 'node:http'
import type { Options } from '../options/options.ts'

type ReportOptions = Options['reports']

/** Request headers by which visitors ask not to be tracked. */
export const PRIVACY_HEADERS = ['DNT', 'Sec-GPC'] as const

/** Returns whether the visitor asks not to be tracked, and the options respect that. */
export function isPrivate({ respectPrivacySignals }: ReportOptions, headers: IncomingHttpHeaders): boolean {
  return respectPrivacySignals && (headers.dnt === '1' || headers['sec-gpc'] === '1')
}

/** Returns whether a document may report failures to the server. */
export function mayReport(options: ReportOptions, headers: IncomingHttpHeaders): boolean {
  return options.enabled && !isPrivate(options, headers)
}
