import { isbot } from 'isbot'
import type { UserAgentClass } from '../errors/failure-record.ts'
import { remember } from '../util/remember.ts'

const MAX_KNOWN = 1_000
const crawlers = new Map<string, boolean>()

/** Scripts that isbot counts as bots. The people who run them want what a browser gets. */
const SCRIPT =
  /^(?:curl|wget|httpie|python|node|undici|axios|got|go-http-client|java|okhttp|postman|insomnia|libwww|lwp|ruby|php|dart|lightmyrequest)\b/i

/** Browsers that run no scripts and support little CSS. They show late content at the end, next to its fallback. */
const TEXT_BROWSER = /^(?:Lynx|E?Links|retawq)\b|\b(?:w3m|Dillo|NetSurf)\//

/**
 * Whether the document must be sent complete, with all content in its place.
 *
 * perf: cached, 7 ns instead of 52 ns, commit 7b7c185a
 */
export function wantsWhole(userAgent: string | undefined): boolean {
  if (userAgent === undefined) return false
  return (
    wants.get(userAgent) ?? remember(wants, MAX_KNOWN, userAgent, isCrawler(userAgent) || TEXT_BROWSER.test(userAgent))
  )
}

const wants = new Map<string, boolean>()

/** Distinguishes only crawlers, browsers and scripts, so that the result does not identify a visitor. */
export function userAgentClass(userAgent: string | undefined): UserAgentClass {
  if (isCrawler(userAgent)) return 'crawler'
  return userAgent?.startsWith('Mozilla/') ? 'browser' : 'script'
}

/**
 * Whether the user agent is a crawler.
 *
 * perf: cached, as user agents repeat, 1.8 µs less, commit 7b7c185a
 */
export function isCrawler(userAgent: string | undefined): boolean {
  if (userAgent === undefined) return false
  return crawlers.get(userAgent) ?? remember(crawlers, MAX_KNOWN, userAgent, matchesCrawler(userAgent))
}

function matchesCrawler(userAgent: string): boolean {
  // Headless Chrome runs a page like any browser. Test suites use it.
  return !SCRIPT.test(userAgent) && isbot(userAgent.replace('HeadlessChrome/', 'Chrome/'))
}
