import { isbot } from 'isbot'

const MAX_KNOWN = 1_000
const known = new Map<string, boolean>()

// isbot counts these among bots. They are scripts of people who want what a browser gets.
const CLIENT =
  /^(?:curl|wget|httpie|python|node|undici|axios|got|go-http-client|java|okhttp|postman|insomnia|libwww|lwp|ruby|php|dart|lightmyrequest)\b/i

/** These run no scripts and know little of CSS: what comes late would stand at the end, beside its fallback. */
const TEXT_BROWSER = /^(?:Lynx|E?Links|retawq)\b|\b(?:w3m|Dillo|NetSurf)\//

/** Is the document to be sent whole, with everything in its place? */
export function wantsWhole(userAgent: string | undefined): boolean {
  return isCrawler(userAgent) || (userAgent !== undefined && TEXT_BROWSER.test(userAgent))
}

/** Does the user agent belong to a crawler? Answers are kept, as the pattern is a long one and agents repeat. */
export function isCrawler(userAgent: string | undefined): boolean {
  if (userAgent === undefined) return false
  const answer = known.get(userAgent)
  if (answer !== undefined) return answer
  if (known.size >= MAX_KNOWN) known.clear()
  // A browser without a window runs the page like any other; test suites use it.
  const fresh = !CLIENT.test(userAgent) && isbot(userAgent.replace('HeadlessChrome/', 'Chrome/'))
  known.set(userAgent, fresh)
  return fresh
}
