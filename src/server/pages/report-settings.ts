import type { IncomingHttpHeaders } from 'node:http'
import { MAX_REPORTS } from '../../shared/wire/report-format.ts'
import type { Options } from '../options/options.ts'

type ReportOptions = Options['reports']

/** The request headers by which visitors ask not to be followed. */
export const PRIVACY_HEADERS = ['DNT', 'Sec-GPC'] as const

/** Does the visitor ask not to be followed, and is that heeded? */
export function isPrivate({ respectPrivacySignals }: ReportOptions, headers: IncomingHttpHeaders): boolean {
  return respectPrivacySignals && (headers.dnt === '1' || headers['sec-gpc'] === '1')
}

/** How many failures a document is told that it may report; undefined where it does as always. */
export function reportsToTell(options: ReportOptions, headers: IncomingHttpHeaders): number | undefined {
  if (!options.enabled || isPrivate(options, headers)) return 0
  return options.maxPerPage === MAX_REPORTS ? undefined : options.maxPerPage
}
