import { digestLine, serverSentence } from '../../src/shared/wire/public-error.ts'
import type { Checks } from '../differences.ts'
import type { Client, Position } from './positions.ts'
import type { Sight } from './sight.ts'

/** Checks what a page shows. Returns the digest that it shows, or null if its outcome shows none. */
export function checkSight(
  checks: Checks,
  sight: Sight,
  { position, client }: { position: Position; client: Client },
  host: string,
): string | null {
  const outcome = position.outcomes[client]
  checks.equal(sight.hasHeader, true, 'the site’s header is there')
  checks.equal(sight.hasNavigation, true, 'and its navigation')
  checks.equal(sight.isLeaking, false, 'nothing of the error is in the document')
  if (position.hasCounter) {
    checks.equal(sight.counted, client === 'J' ? 'Count: 1' : 'Count: 0', 'the rest of the page works as it should')
  }
  switch (outcome.kind) {
    case 'failure':
      if (!isTriedAgain(position)) checks.equal(sight.errors, [], 'the console is quiet')
      return checkAlert(checks, sight, position, host)
    case 'late':
      if (!isTriedAgain(position)) checks.lacks(sight.errors.join(), /SECRET-MARKER/, 'nor in the console')
      return checkAlert(checks, sight, position, host)
    case 'refusal': {
      checks.equal(sight.errors, [], 'the console is quiet')
      checks.equal(sight.isKeptFromSearch, true, 'search engines are told to leave it')
      const message = outcome.status === 404 ? 'There is no page here' : outcome.message
      checks.match(sight.text, message, 'the refusal’s own message')
      if (position.ownPage) checks.match(sight.heading.replace(/\s+/g, ' '), position.ownPage, 'in the site’s own page')
      return checkNoSentence(checks, sight)
    }
    case 'recovered':
      checks.equal(sight.errors, [], 'the console is quiet')
      checks.match(sight.text, /Rendered by the browser, because the server could not\./, 'the browser’s own')
      return checkNoSentence(checks, sight)
    case 'page':
    case 'json':
      return checkNoSentence(checks, sight)
  }
}

/**
 * React renders a component in `<Suspense>` that failed on the server again in the browser, where it throws its own
 * error.
 */
function isTriedAgain({ code }: Position): boolean {
  return code.startsWith('F2')
}

function checkAlert(checks: Checks, sight: Sight, { ownPage }: Position, host: string): string {
  checks.equal(sight.alerts.length, 1, 'one alert is shown')
  checks.equal(sight.isKeptFromSearch, true, 'search engines are told to leave it')
  const lines = sight.alerts[0] ?? []
  const digest = /^Digest: (.*)$/.exec(lines.at(-2) ?? '')?.[1] ?? '(none)'
  const [heading, ...rest] = lines
  const fallback = [serverSentence(host), digestLine(digest), 'Try again']
  if (ownPage) {
    checks.equal(heading?.replace(/\s+/g, ' '), ownPage, 'the site’s own page')
    checks.equal(rest, fallback, 'says the sentence, the digest, and how to try again')
  } else checks.equal(lines, fallback, 'the sentence, the digest, and how to try again')
  return digest
}

function checkNoSentence(checks: Checks, { text }: Sight): null {
  checks.lacks(text, /Application error|Digest:/, 'no sentence, no digest')
  return null
}
