// The parsers of request texts, called directly: thousands of times as often as over a connection.

import { redirectLocation } from '../../../src/server/errors/http-error.ts'
import { maskMessage } from '../../../src/server/failures/fingerprint.ts'
import { readBrowserStack } from '../../../src/server/failures/stacks/stack-frame.ts'
import { parseForwarded, readForwarded } from '../../../src/server/guards/forwarding.ts'
import { matchesEtag } from '../../../src/server/http/etag.ts'
import { preferredErrorFormat, preferredFormat } from '../../../src/server/http/negotiate.ts'
import { pathAndQuery, plainTarget, withoutTrailingSlash } from '../../../src/server/http/request-url.ts'
import { traceOf } from '../../../src/server/http/trace-context.ts'
import { sanitizeLine } from '../../../src/server/log/control-characters.ts'
import { createRedactor } from '../../../src/server/redaction/redact.ts'
import { parseReport } from '../../../src/server/site/parse-report.ts'
import { isHostName } from '../../../src/server/util/addresses.ts'
import { parseDigest } from '../../../src/shared/wire/digest-format.ts'
import { createRandom } from '../../shared/random.ts'
import type { Finding } from './fuzz-server.ts'
import { mutate } from './mutate.ts'
import { REQUESTS } from './seeds.ts'

interface Parser {
  name: string
  seeds: readonly [string, ...string[]]
  /** Throws if the result is wrong. */
  read(text: string): void
}

const SITE = 'http://shop.example'

function check(isRight: boolean, what: string) {
  if (!isRight) throw new Error(what)
}

/** Whether a URL leads to the site itself if it is put into a Location header. */
function checkOwn(location: string) {
  check(new URL(location, `${SITE}/some/page`).origin === SITE, `it leads to ${location}`)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const PARSERS: readonly [Parser, ...Parser[]] = [
  {
    name: 'the target of a request',
    seeds: ['/given/a%20b/?q=%zz#x', 'http://user@other.example:80/a/../b?c', '/%61dm%49n/%2e%2e//', '//evil.example/'],
    read(target) {
      const own = plainTarget(target)
      check(plainTarget(own) === own, 'plain twice is another one')
      check(pathAndQuery(target).startsWith('/'), 'a path begins with a slash')
      const location = own.startsWith('/') ? withoutTrailingSlash(own) : null
      if (location !== null) checkOwn(location)
    },
  },
  {
    name: 'where a redirect leads',
    seeds: ['/login?to=x', '//evil.example', 'a/../..//b', 'https://evil.example/', '/\\evil.example', '?x#y'],
    read(to) {
      for (const base of ['/', '/shop']) {
        try {
          checkOwn(redirectLocation(to, '/some/page?x', base))
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'HYD_REDIRECT_OUTSIDE')) throw error
        }
      }
    },
  },
  {
    name: 'Accept',
    seeds: ['text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', 'application/json;q=0.5;a="b,c", text/*', '*/*'],
    read(accept) {
      check(['html', 'json'].includes(preferredFormat({ accept })), 'a page has one of two formats')
      check(['html', 'json'].includes(preferredErrorFormat({ accept })), 'so has an error')
    },
  },
  {
    name: 'Forwarded',
    seeds: ['for="[2001:db8::1]:80";proto=https;host="a.example", for=10.0.0.1;by=_x', 'host="a\\"b";for=unknown'],
    read(header) {
      const { host, proto } = readForwarded(header, (address) => address === '10.0.0.1')
      if (parseForwarded(header) === null) check(host === undefined && proto === undefined, 'nothing of it is believed')
    },
  },
  {
    name: 'Host',
    seeds: ['shop.example', '[::1]', 'a_b.example.', 'xn--bcher-kva.example'],
    read(name) {
      if (isHostName(name)) check(!/[\s"'<>/\\?#@%&,;]/.test(name), 'a name is a name')
    },
  },
  {
    name: 'If-None-Match',
    seeds: ['W/"a", "b,c"', '*', '"", W/""'],
    read: (header) => void matchesEtag(header, 'W/"a"'),
  },
  {
    name: 'traceparent',
    seeds: [
      '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x',
    ],
    read(header) {
      const traceId = traceOf(header)?.traceId ?? ''
      check(/^(?:[\da-f]{32})?$/.test(traceId), 'a trace has an id')
    },
  },
  {
    name: 'a report',
    seeds: [
      '{"kind":"failure","build":"x","path":"/x","isRecovered":false,"error":{"type":"E","message":"m","stack":"s","cause":{"type":"E","message":"m","stack":""}}}',
      '{"kind":"recovered","build":"x","path":"/","digest":"7K3M9QZD-0F4XTB"}',
    ],
    read(text) {
      if (!isJson(text)) return
      const read = parseReport(JSON.parse(text))
      if (!('report' in read) || read.report.kind !== 'failure') return
      for (const frame of readBrowserStack(read.report.error.stack)) check(!frame.includes('\n'), 'a frame is one line')
    },
  },
  {
    name: 'a stack of a browser',
    seeds: ['E: x\n    at async f (http://a/b.js:1:2)', 'f@http://a/b.js:1:2\nasync*g/<@http://a/b.js:3:4', '@:1:2'],
    read: (stack) => void readBrowserStack(stack),
  },
  {
    name: 'a digest',
    seeds: ['7K3M9QZD-0F4XTB', 'digest: 7k3m 9qzd', 'IlO00000'],
    read: (typed) => void parseDigest(typed),
  },
  {
    name: 'secrets',
    seeds: ['https://user:pass@a.example/?token=abcdefg&x=1', 'Bearer abcdefghij; session=abcdefghij'],
    read(text) {
      const redact = createRedactor({ cookie: text, authorization: text })
      check(redact(text).length <= 3 * Math.min(text.length, 2_000) + 1, 'hiding makes nothing much longer')
      maskMessage(text)
    },
  },
  {
    name: 'a line of the log',
    seeds: ['{"level":30,"msg":"a\\nb\\u001b","err":{"stack":"x"}}', 'no JSON'],
    read: (line) => check(!/\p{Cc}/u.test(sanitizeLine(line).replace(/[\n\t]/g, '')), 'it commands something'),
  },
]

/** Calls each parser until told to stop. */
export function fuzzParsers(seed: number, isOver: () => boolean): { count: number; findings: Finding[] } {
  const random = createRandom(seed)
  const findings: Finding[] = []
  let count = 0
  while (!isOver() && findings.length < 20) {
    const { name, seeds, read } = random.pick(PARSERS)
    const text = mutate(random.pick(seeds), random.below(4) === 0 ? REQUESTS : seeds, random)
    count++
    try {
      read(text)
    } catch (error) {
      findings.push({ request: text, answer: '', flaw: `${name}: ${String(error)}` })
    }
  }
  return { count, findings }
}
