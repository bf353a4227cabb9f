import type { Test } from 'tap'
import { digestLine, serverSentence } from '../../src/shared/wire/error-messages.ts'
import type { Client, Position } from './positions.ts'
import type { Sight } from './sight.ts'

/** Checks what a page shows. Returns the digest that it shows, or null if its outcome shows none. */
export function checkSight(
  t: Test,
  sight: Sight,
  { position, client }: { position: Position; client: Client },
  host: string,
): string | null {
  const outcome = position.outcomes[client]
  t.ok(sight.hasHeader, 'the site’s header is there')
  t.ok(sight.hasNavigation, 'and its navigation')
  t.notOk(sight.isLeaking, 'nothing of the error is in the document')
  if (position.hasCounter) {
    t.equal(sight.counted, client === 'J' ? 'Count: 1' : 'Count: 0', 'the rest of the page works as it should')
  }
  switch (outcome.kind) {
    case 'failure':
      if (!isTriedAgain(position)) t.same(sight.errors, [], 'the console is quiet')
      return checkAlert(t, sight, position, host)
    case 'late':
      if (!isTriedAgain(position)) t.notMatch(sight.errors.join(), /SECRET-MARKER/, 'nor in the console')
      return checkAlert(t, sight, position, host)
    case 'refusal': {
      t.same(sight.errors, [], 'the console is quiet')
      t.ok(sight.isKeptFromSearch)
      const message = outcome.status === 404 ? 'There is no page here' : outcome.message
      t.ok(sight.text.includes(message), 'the refusal’s own message')
      if (position.ownPage) t.match(sight.heading.replace(/\s+/g, ' '), position.ownPage, 'in the site’s own page')
      return checkNoSentence(t, sight)
    }
    case 'recovered':
      t.same(sight.errors, [], 'the console is quiet')
      t.match(sight.text, 'Rendered by the browser, because the server could not.')
      return checkNoSentence(t, sight)
    case 'page':
    case 'json':
      return checkNoSentence(t, sight)
  }
}

/**
 * React renders a component in `<Suspense>` that failed on the server again in the browser, where it throws its own
 * error.
 */
function isTriedAgain({ code }: Position): boolean {
  return code.startsWith('F2')
}

function checkAlert(t: Test, sight: Sight, { ownPage }: Position, host: string): string {
  t.equal(sight.alerts.length, 1, 'one alert is shown')
  t.ok(sight.isKeptFromSearch, 'search engines are told to leave it')
  const lines = sight.alerts[0] ?? []
  const digest = /^Digest: (.*)$/.exec(lines.at(-2) ?? '')?.[1] ?? '(none)'
  const [heading, ...rest] = lines
  const fallback = [serverSentence(host), digestLine(digest), 'Try again']
  if (ownPage) {
    t.equal(heading?.replace(/\s+/g, ' '), ownPage, 'the site’s own page')
    t.same(rest, fallback, 'says the sentence, the digest, and how to try again')
  } else t.same(lines, fallback, 'the sentence, the digest, and how to try again')
  return digest
}

function checkNoSentence(t: Test, { text }: Sight): null {
  t.notMatch(text, /Application error|Digest:/, 'no sentence, no digest')
  return null
}
