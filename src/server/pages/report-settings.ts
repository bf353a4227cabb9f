import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import { addVary } from '../http/headers.ts'
import type { Options } from '../options/options.ts'

type ReportOptions = Options['reports']

/** Request headers that ask not to track the visitor. */
const PRIVACY_HEADERS = ['DNT', 'Sec-GPC']

/** Returns whether the visitor asks not to be tracked, and the options respect that. */
export function isPrivate({ respectPrivacySignals }: ReportOptions, headers: IncomingHttpHeaders): boolean {
  return respectPrivacySignals && (headers.dnt === '1' || headers['sec-gpc'] === '1')
}

/** Says that a document differs for visitors who ask not to be tracked, if the options respect that. */
export function addPrivacyVary(reply: FastifyReply, { respectPrivacySignals }: ReportOptions) {
  if (respectPrivacySignals) for (const name of PRIVACY_HEADERS) addVary(reply, name)
}

/** Returns whether a document may report failures to the server. */
export function mayReport(options: ReportOptions, headers: IncomingHttpHeaders): boolean {
  return options.enabled && !isPrivate(options, headers)
}
