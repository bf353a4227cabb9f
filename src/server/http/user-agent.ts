import type { UserAgentClass } from '../errors/failure-record.ts'
import { isCrawler } from './crawler.ts'

/** Tells programs apart as far as it helps to understand a failure, and no further: nobody is to be recognised by it. */
export function userAgentClass(userAgent: string | undefined): UserAgentClass {
  if (isCrawler(userAgent)) return 'crawler'
  return userAgent?.startsWith('Mozilla/') ? 'browser' : 'script'
}
