import t from 'tap'
import type { HydrantError } from '../../../src/server/errors/hydrant-error.ts'
import { nameSources, type OptionSources, resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { closestMatch } from '../../../src/server/util/closest-match.ts'
import { findFailing } from '../../find-failing.ts'

const DEFAULTS = {
  base: '/',
  timeouts: {
    loadMs: 10_000,
    renderMs: 10_000,
    drainMs: 10_000,
    stopDelayMs: 0,
    hangMs: 60_000,
    startMs: 10_000,
    headersMs: 20_000,
    requestMs: 300_000,
    keepAliveMs: 72_000,
    sendMs: 30_000,
  },
  limits: {
    maxConnections: 10_000,
    maxHeaderBytes: 16_384,
    maxRenders: 1_000,
    maxDocumentLength: 50_000_000,
    maxEventLoopDelayMs: 0,
    maxLiveStreams: 5_000,
    maxLiveStreamsPerAddress: 200,
  },
  hosts: [],
  bodyLimit: 1_048_576,
  forms: {
    maxFields: 1_000,
    maxFiles: 10,
    maxFileBytes: 10_485_760,
    maxUploadBytes: 1_073_741_824,
  },
  allowedOrigins: [],
  reports: {
    enabled: true,
    maxPerAddress: 60,
    respectPrivacySignals: false,
  },
  compress: true,
  csp: true,
  securityHeaders: true,
  markdown: true,
  release: '',
  digestKey: '',
  onFailure: null,
  traceOf: null,
  instrument: null,
  identifyVisitor: null,
  ledger: 'hydrant-errors.db',
  ledgerLimits: { maxFailures: 5_000, maxOccurrences: 100, maxAgeDays: 30, maxBytes: 100_000_000 },
  pageCache: { maxBytes: 67_108_864, store: null, header: false, tagHeader: 'cache-tag' },
  serverTiming: false,
  reactServer: 'bun',
  trustProxy: false,
  forwardedHeader: 'x-forwarded',
  proxyStripsBase: false,
  logRequests: false,
  port: 3000,
  host: '127.0.0.1',
  socket: null,
  workers: 1,
  logLevel: 'info',
  admin: { host: '127.0.0.1', port: null, token: '', readToken: '' },
}

t.test('every option has a default', async (t) => {
  t.strictSame(resolveOptions({}), DEFAULTS)
  t.strictSame(resolveOptions({ flags: {}, env: {}, config: {} }), DEFAULTS)
  t.strictSame(resolveOptions({ flags: { port: undefined }, env: { PORT: '' }, config: { port: undefined } }), DEFAULTS)
  t.strictSame(
    resolveOptions({ env: { PATH: '/bin', HOME: '/', HYDRANTS: '1' } }),
    DEFAULTS,
    'other variables do not count',
  )
})

/** Name, variable, valid texts with their values, invalid texts. */
const TYPED: readonly [string, string, readonly (readonly [string, unknown])[], readonly string[]][] = [
  [
    'port',
    'PORT',
    [
      ['0', 0],
      ['65535', 65_535],
    ],
    ['65536', '-1', '1.5', 'http', '0x10', ' 80', '1e3'],
  ],
  [
    'host',
    'HOST',
    [
      ['0.0.0.0', '0.0.0.0'],
      ['::', '::'],
      ['my-host', 'my-host'],
    ],
    ['a b', 'http://a', 'a/b'],
  ],
  ['socket', 'HYDRANT_SOCKET', [['/run/hydrant/shop.sock', '/run/hydrant/shop.sock']], ['a\nb', 'x'.repeat(108)]],
  [
    'workers',
    'HYDRANT_WORKERS',
    [
      ['1', 1],
      ['16', 16],
      ['auto', 'auto'],
    ],
    ['0', '-1', '1.5', '1025', 'Auto', 'all'],
  ],
  [
    'ledger',
    'HYDRANT_LEDGER',
    [
      ['false', false],
      ['0', false],
      ['data/errors.db', 'data/errors.db'],
      ['postgres://user@host/errors', 'postgres://user@host/errors'],
    ],
    ['true', '1', 'a\nb'],
  ],
  [
    'pageCache.store',
    'HYDRANT_PAGE_CACHE_STORE',
    [
      ['redis://127.0.0.1', 'redis://127.0.0.1'],
      ['redis://:a-password@cache.example:6380/2', 'redis://:a-password@cache.example:6380/2'],
      ['rediss://user:a-password@[::1]:6379/', 'rediss://user:a-password@[::1]:6379/'],
      ['valkey://host', 'valkey://host'],
      ['valkeys://user:a-password@host:6380/1', 'valkeys://user:a-password@host:6380/1'],
      ['postgres://user@host/site', 'postgres://user@host/site'],
      ['postgresql://user@/site?host=%2Frun', 'postgresql://user@/site?host=%2Frun'],
    ],
    [
      'cache.db',
      'memcached://host',
      'redis:/host',
      'valkeyss://host',
      'redis://',
      'redis://host/name',
      'redis://host:port',
      'redis://host?db=1',
      'redis://host#1',
      'redis://:100%@host',
      'postgres://user:a#b@host/site',
      'redis://host\n',
    ],
  ],
  [
    'pageCache.tagHeader',
    'HYDRANT_PAGE_CACHE_TAG_HEADER',
    [['surrogate-key', 'surrogate-key']],
    ['Surrogate-Key', 'x-tags'],
  ],
  ['pageCache.header', 'HYDRANT_PAGE_CACHE_HEADER', [['true', true]], ['yes']],
  ['pageCache.maxBytes', 'HYDRANT_PAGE_CACHE_MAX_BYTES', [['0', 0]], ['-1', '64 MB']],
  [
    'logLevel',
    'LOG_LEVEL',
    [
      ['silent', 'silent'],
      ['trace', 'trace'],
    ],
    ['loud', 'INFO'],
  ],
  [
    'base',
    'HYDRANT_BASE',
    [
      ['/', '/'],
      ['/shop', '/shop'],
      ['/a/b-c.d~e_f', '/a/b-c.d~e_f'],
    ],
    ['shop', '/shop/', '//', '/a//b', '/..', '/a/./b', '/a b', '/a?b', '/ü', '/*', '/:id'],
  ],
  [
    'bodyLimit',
    'HYDRANT_BODY_LIMIT',
    [
      ['1', 1],
      ['5000000', 5_000_000],
    ],
    ['0', '1 MiB', '-1', '1e6'],
  ],
  [
    'allowedOrigins',
    'HYDRANT_ALLOWED_ORIGINS',
    [
      ['https://app.example', ['https://app.example']],
      ['https://app.example, http://localhost:8080', ['https://app.example', 'http://localhost:8080']],
    ],
    ['app.example', 'https://app.example/', 'https://APP.example', 'https://*.example', 'null', 'https://a.example,'],
  ],
  [
    'csp',
    'HYDRANT_CSP',
    [
      ['true', true],
      ['false', false],
      ['1', true],
      ['0', false],
    ],
    ['yes', 'TRUE', 'constructor'],
  ],
  [
    'logRequests',
    'HYDRANT_LOG_REQUESTS',
    [
      ['true', true],
      ['0', false],
    ],
    ['on', 'toString'],
  ],
  [
    'reactServer',
    'HYDRANT_REACT_SERVER',
    [
      ['node', 'node'],
      ['bun', 'bun'],
    ],
    ['deno', '__proto__'],
  ],
  [
    'timeouts.loadMs',
    'HYDRANT_TIMEOUTS_LOAD_MS',
    [
      ['1', 1],
      ['2147483647', 2_147_483_647],
    ],
    ['0', '2147483648', '1s', '-5'],
  ],
  ['timeouts.renderMs', 'HYDRANT_TIMEOUTS_RENDER_MS', [['500', 500]], ['0', 'Infinity']],
  ['timeouts.startMs', 'HYDRANT_TIMEOUTS_START_MS', [['0', 0]], ['-1', 'x']],
  ['timeouts.headersMs', 'HYDRANT_TIMEOUTS_HEADERS_MS', [['500', 500]], ['0', 'x']],
  ['limits.maxHeaderBytes', 'HYDRANT_LIMITS_MAX_HEADER_BYTES', [['1024', 1_024]], ['1023', '1048577', '16k']],
  ['timeouts.drainMs', 'HYDRANT_TIMEOUTS_DRAIN_MS', [['500', 500]], ['0', 'x']],
  [
    'admin.port',
    'HYDRANT_ADMIN_PORT',
    [
      ['0', 0],
      ['9321', 9321],
    ],
    ['65536', 'x'],
  ],
  ['admin.host', 'HYDRANT_ADMIN_HOST', [['::1', '::1']], ['a b']],
  [
    'admin',
    'HYDRANT_ADMIN',
    [
      ['false', false],
      ['true', DEFAULTS.admin],
      ['0', { ...DEFAULTS.admin, port: 0 }],
      ['9321', { ...DEFAULTS.admin, port: 9321 }],
      ['0.0.0.0:80', { ...DEFAULTS.admin, host: '0.0.0.0', port: 80 }],
      ['my-host:9320', { ...DEFAULTS.admin, host: 'my-host', port: 9320 }],
      ['[::1]:9320', { ...DEFAULTS.admin, host: '::1', port: 9320 }],
    ],
    ['65536', '-1', 'no', '127.0.0.1', '::1:9320', ':9320', '127.0.0.1:', 'a b:1', 'http://127.0.0.1:9320'],
  ],
  [
    'trustProxy',
    'HYDRANT_TRUST_PROXY',
    [
      ['true', true],
      ['false', false],
      ['loopback', 'loopback'],
      ['127.0.0.1,10.0.0.0/8', '127.0.0.1,10.0.0.0/8'],
      ['::1', '::1'],
    ],
    [
      '1',
      'yes',
      'a.example',
      '-1',
      'constructor',
      'valueOf',
      '101',
      '10.0.0.0/8;',
      '999.1.1.1',
      '10.0.0.0/33',
      '::1/129',
      '10.0.0.0/0',
    ],
  ],
]

const readOption = (options: object, name: string): unknown =>
  name.split('.').reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], options)

for (const [name, variable, right, wrong] of TYPED) {
  t.test(`${name} is read from the environment and from flags`, async (t) => {
    const read = (sources: OptionSources) => readOption(resolveOptions(sources), name)
    const accepted = await findFailing(
      right,
      ([text]) => [read({ env: { [variable]: text } }), read({ flags: { [name]: text } })],
      ([, value]) => [value, value],
    )
    t.strictSame(accepted, [])
    const invalid = new RegExp(`^HYD_OPTION_INVALID: "${variable}" must be .+; got (?:"|a secret value$)`)
    const refused = await findFailing(wrong, (text) => {
      const [ofEnv, ofFlag] = [refusalOf({ env: { [variable]: text } }), refusalOf({ flags: { [name]: text } })]
      return invalid.test(ofEnv) && ofFlag.startsWith('HYD_OPTION_INVALID: ') ? undefined : [ofEnv, ofFlag]
    })
    t.strictSame(refused, [])
  })
}

/** Returns the code and the message of the error, or that there is none. */
function refusalOf(sources: OptionSources): string {
  try {
    resolveOptions(sources)
  } catch (error) {
    const { code, message } = error as HydrantError
    return `${code}: ${message}`
  }
  return 'no error'
}

const CONFIGURED: readonly [string, readonly unknown[], readonly unknown[]][] = [
  ['base', ['/', '/shop'], ['', 'shop', '/shop/', 5, null]],
  ['csp', [true, false], ['true', 1, null]],
  ['logRequests', [true, false], ['true', 0]],
  ['serverTiming', [true, false], ['true', 0]],
  [
    'ledger',
    [false, 'errors.db', 'C:/errors.db', 'postgres://user@host/database', 'postgresql:///database'],
    [true, null, '', 5, {}, 'mysql://host/database', 'sqlite:///errors.db', 'file:///errors.db'],
  ],
  ['port', [0, 80], ['80', -1, 65_536, 1.5, Number.NaN]],
  ['host', ['::1'], [5, '', null]],
  ['logLevel', ['debug'], ['verbose', 30]],
  ['reactServer', ['node'], ['Node', null]],
  ['trustProxy', [true, 'loopback', ['127.0.0.1', '10.0.0.0/8'], () => true], [1, null, 'a.example', [5], -1, 1.5, {}]],
  [
    'pageCache',
    [DEFAULTS.pageCache, { maxBytes: 0, store: 'redis://host', header: true, tagHeader: 'surrogate-key' }],
    [false, { maxBytes: -1 }, { store: false }, { header: 'hit' }, { tagHeader: '' }],
  ],
  ['timeouts', [{}, { loadMs: 1 }], [5, null, 'x', { loadMs: '1' }, { loadMs: 0 }, { renderMs: 1.5 }]],
]

for (const [name, right, wrong] of CONFIGURED) {
  t.test(`${name} is read from the configuration`, async (t) => {
    const accepted = await findFailing(
      right,
      (value) => readOption(resolveOptions({ config: { [name]: value } }), name),
      (value) => (name === 'timeouts' ? { ...DEFAULTS.timeouts, ...(value as object) } : value),
    )
    t.strictSame(accepted, [])
    const refused = await findFailing(wrong, (value) => {
      const refusal = refusalOf({ config: { [name]: value } })
      return refusal.startsWith('HYD_OPTION_INVALID: ') ? undefined : refusal
    })
    t.strictSame(refused, [])
  })
}

t.test('a URL with a password is not shown when it is refused', async (t) => {
  const resolve = () => resolveOptions({ env: { HYDRANT_LEDGER: 'mysql://user:secret@host/database' } })
  t.throws(resolve, { message: /^"HYDRANT_LEDGER" must be a file, .*; got a secret value$/ })
  for (const store of ['redis:/:a-secret@host', 'redis://host?password=a-secret', 'a-secret@host', 5]) {
    t.throws(() => resolveOptions({ config: { pageCache: { store } } }), {
      message: /^"pageCache\.store" must be a URL like .*; got a secret value$/,
    })
  }
})

t.test('no error shows a secret that was given in the wrong form or for the wrong option', async (t) => {
  const url = 'postgres://db/shop?user=shop&password=qz7rkw2x'
  const shown = await findFailing(
    [
      { env: { HYDRANT_LEDGER: `${url}\n` } },
      { flags: { ledger: `${url}\n` } },
      { config: { ledger: [url] } },
      { env: { HYDRANT_ADMIN: 'qz7rkw2xqz7rkw2x' } },
      { flags: { admin: 'qz7rkw2xqz7rkw2x' } },
      { config: { admin: 'qz7rkw2xqz7rkw2x' } },
      { given: { admin: 'qz7rkw2xqz7rkw2x' } },
      { config: { pageCache: 'redis://:qz7rkw2x@cache:6379' } },
      { config: { pageCache: 'cache:6379?password=qz7rkw2x' } },
    ] satisfies OptionSources[],
    (sources) => {
      const refusal = refusalOf(sources)
      return /^HYD_OPTION_INVALID: .*; got a (?:secret value|string)$/.test(refusal) ? undefined : refusal
    },
  )
  t.strictSame(shown, [])
  t.match(refusalOf({ config: { pageCache: 5 } }), /"pageCache" must be an object; got 5$/)
})

t.test('the admin listener can be off, a group of options, or a single value that overrides the group', async (t) => {
  const { admin } = DEFAULTS
  for (const [sources, expected] of [
    [{ config: { admin: false } }, false],
    [{ config: { admin: true } }, admin],
    [{ config: { admin: { port: 1 } } }, { ...admin, port: 1 }],
    [{ config: { admin: { port: 1 } }, env: { HYDRANT_ADMIN: 'false' } }, false],
    [
      { config: { admin: false }, env: { HYDRANT_ADMIN: '2' } },
      { ...admin, port: 2 },
    ],
    [
      { config: { admin: { port: 1, host: '::1' } }, env: { HYDRANT_ADMIN: '2' } },
      { ...admin, port: 2, host: '::1' },
    ],
    [{ env: { HYDRANT_ADMIN: '2', HYDRANT_ADMIN_PORT: '3' } }, { ...admin, port: 2 }],
    [
      { env: { HYDRANT_ADMIN: 'false' }, flags: { admin: '4' } },
      { ...admin, port: 4 },
    ],
  ] as const)
    t.strictSame(resolveOptions(sources).admin, expected, JSON.stringify(sources))
  for (const value of ['9320', 9320, null, { prot: 1 }, { port: '1' }, { token: 'short' }, { readToken: 'short' }])
    t.throws(() => resolveOptions({ config: { admin: value } }), { code: /^HYD_OPTION_/ }, JSON.stringify(value))
  t.throws(() => resolveOptions({ env: { HYDRANT_ADMIN_TOKEN: 'a secret' } }), { message: /; got a secret value$/ })
})

t.test('a flag overrides the environment, and the environment overrides the configuration', async (t) => {
  const sources: OptionSources = { flags: { port: '1' }, env: { PORT: '2', HYDRANT_PORT: '3' }, config: { port: 4 } }
  t.equal(resolveOptions(sources).port, 1)
  t.equal(resolveOptions({ ...sources, flags: {} }).port, 3, 'the variable with the prefix overrides the common one')
  t.equal(resolveOptions({ env: { PORT: '2' }, config: { port: 4 } }).port, 2)
  t.equal(resolveOptions({ config: { port: 4 } }).port, 4)
  t.throws(() => resolveOptions({ flags: { port: 'x' }, config: { port: 4 } }), {
    message: /"--port" must be a whole number from 0 to 65535; got "x"/,
  })
})

t.test('an unknown name is an error that suggests the closest one', async (t) => {
  const cases = [
    [{ config: { bsae: '/' } }, 'bsae', 'base'],
    [{ config: { Base: '/' } }, 'Base', 'base'],
    [{ config: { timeouts: { loadMS: 1 } } }, 'timeouts.loadMS', 'timeouts.loadMs'],
    [{ config: { trustproxy: true } }, 'trustproxy', 'trustProxy'],
    [{ config: { pageCahce: {} } }, 'pageCahce', 'pageCache'],
    [{ config: { timeout: { loadMs: 1 } } }, 'timeout', 'timeouts'],
    [{ config: { limit: {} } }, 'limit', 'limits'],
    [{ config: { form: {} } }, 'form', 'forms'],
    [{ config: { report: {} } }, 'report', 'reports'],
    [{ config: { ledgerLimit: {} } }, 'ledgerLimit', 'ledgerLimits'],
    [{ config: { adminn: {} } }, 'adminn', 'admin'],
    [{ given: { pagecache: {} } }, 'pagecache', 'pageCache'],
    [{ flags: { prot: '1' } }, 'prot', 'port'],
    [{ env: { HYDRANT_BAES: '/' } }, 'HYDRANT_BAES', 'HYDRANT_BASE'],
    [{ env: { HYDRANT_LOADMS: '1' } }, 'HYDRANT_LOADMS', null],
    [{ env: { HYDRANT_ON_FAILURE: 'x' } }, 'HYDRANT_ON_FAILURE', null],
    [{ config: { somethingElseEntirely: 1 } }, 'somethingElseEntirely', null],
    [{ config: { constructor: 1 } }, 'constructor', null],
    [{ config: { loadMs: 1 } }, 'loadMs', null],
    [{ config: { limits: { maxUrlBytes: 8_192 } } }, 'limits.maxUrlBytes', null],
    [{ given: { limits: { maxPipelined: 100 } } }, 'limits.maxPipelined', null],
    [{ config: { forms: { maxFieldBytes: 1_048_576 } } }, 'forms.maxFieldBytes', null],
    [{ config: { reports: { maxPerPage: 10 } } }, 'reports.maxPerPage', null],
    [{ config: { reports: { maxTotal: 600 } } }, 'reports.maxTotal', null],
    [{ env: { HYDRANT_REPORTS_MAX_BYTES: '32768' } }, 'HYDRANT_REPORTS_MAX_BYTES', null],
  ] as const
  t.strictSame(
    await findFailing(
      cases,
      ([sources, , meant]) => {
        try {
          return resolveOptions(sources)
        } catch (error) {
          const { code, message } = Object(error)
          const unknown = /unknown option "([^"]+)"/.exec(message)?.[1]
          return [code, unknown, meant && /did you mean "([^"]+)"/.exec(message)?.[1]]
        }
      },
      ([, unknown, meant]) => ['HYD_OPTION_UNKNOWN', unknown, meant],
    ),
    [],
  )
  t.throws(() => resolveOptions({ config: JSON.parse('{"__proto__":1}') as Record<string, unknown> }), {
    code: 'HYD_OPTION_UNKNOWN',
  })
  t.doesNotThrow(
    () => resolveOptions({ config: { esbuild: {}, reactCompiler: true, strictMode: true } }),
    'options of the build are known',
  )
})

t.test('an error has a fix, and a long value is truncated', async (t) => {
  t.throws(() => resolveOptions({ config: { port: 'x' } }), { name: 'HydrantError', fix: /^\p{Lu}.*\.$/u })
  const long = 'x'.repeat(10_000)
  t.throws(() => resolveOptions({ env: { PORT: long } }), { message: /^.{0,200}$/s }, 'cut to size')
})

t.test('a variable whose prefix is misspelled is an error when the rest is the name of an option', async (t) => {
  for (const [name, meant] of [
    ['HYDRNAT_BASE', 'HYDRANT_BASE'],
    ['HYDRENT_TRUST_PROXY', 'HYDRANT_TRUST_PROXY'],
  ] as const) {
    t.throws(() => resolveOptions({ env: { [name]: 'x' } }), {
      code: 'HYD_OPTION_UNKNOWN',
      message: `unknown option "${name}"; did you mean "${meant}"?`,
    })
  }
  for (const name of ['HYDRATE_BASE', 'HYDRA_BASE', 'HYDRENT_OTHER', 'HYDRNAT', 'BASE'])
    t.doesNotThrow(() => resolveOptions({ env: { [name]: 'x' } }), name)
})

/** The variables of Kubernetes and Docker for a service with two ports. */
function linksOf(prefix: string, address = '10.96.7.11'): Record<string, string> {
  const url = (port: number, protocol = 'tcp') =>
    `${protocol}://${address.includes(':') ? `[${address}]` : address}:${port}`
  return {
    [`${prefix}_SERVICE_HOST`]: address,
    [`${prefix}_SERVICE_PORT`]: '3000',
    [`${prefix}_SERVICE_PORT_HTTP`]: '3000',
    [`${prefix}_SERVICE_PORT_DNS_UDP`]: '53',
    [`${prefix}_PORT`]: url(3000),
    [`${prefix}_PORT_3000_TCP`]: url(3000),
    [`${prefix}_PORT_3000_TCP_PROTO`]: 'tcp',
    [`${prefix}_PORT_3000_TCP_PORT`]: '3000',
    [`${prefix}_PORT_3000_TCP_ADDR`]: address,
    [`${prefix}_PORT_53_UDP`]: url(53, 'udp'),
    [`${prefix}_PORT_53_UDP_PROTO`]: 'udp',
    [`${prefix}_PORT_53_UDP_PORT`]: '53',
    [`${prefix}_PORT_53_UDP_ADDR`]: address,
  }
}

t.test('the variables of Kubernetes and Docker for a service are not options', async (t) => {
  const services = ['HYDRANT', 'HYDRANTS', 'HYDRANT_ADMIN', 'HYDRANT_ADMIN_HOST', 'HYDRANT_LEDGER', 'HYDRANT_CANARY_2']
  const failing = await findFailing(
    services.flatMap((service) => [linksOf(service), linksOf(service, 'fd00:10:96::b')]),
    (env) => resolveOptions({ env }),
    () => DEFAULTS,
  )
  t.strictSame(failing, [])
  const ofContainer = { HYDRANT_NAME: '/web/hydrant', HYDRANT_ENV_NODE_VERSION: '24.1.0', HYDRANT_ENV_EMPTY: '' }
  t.strictSame(resolveOptions({ env: { ...linksOf('HYDRANT'), ...ofContainer } }), DEFAULTS)
  t.match(resolveOptions({ env: { ...linksOf('HYDRANT'), PORT: '8080', HYDRANT_HOST: '::' } }), {
    port: 8080,
    host: '::',
  })
  t.match(resolveOptions({ env: { ...linksOf('HYDRANT_ADMIN'), HYDRANT_ADMIN_PORT: '9000' } }), {
    admin: { port: 9000 },
  })
  const wrong = [
    ['HYDRANT_SERVICE_HOST', 'localhost'],
    ['HYDRANT_SERVICE_PROT', '3000'],
    ['HYDRANT_PORT_3000', 'tcp://10.0.0.1:3000'],
    ['HYDRANT_PORT', 'tcp:3000'],
    ['HYDRANT_PORT', 'http://10.0.0.1:80'],
    ['HYDRANT_ADMIN_PROT', '9320'],
    ['HYDRANT_PROT', 'tcp://10.0.0.1:80'],
  ] as const
  t.strictSame(
    wrong.filter(([name, value]) => {
      try {
        return resolveOptions({ env: { ...linksOf('HYDRANT'), [name]: value } })
      } catch (error) {
        return !String(error).includes(name)
      }
    }),
    [],
  )
})

t.test('an error names the flag, the variable or the configuration that its value comes from', async (t) => {
  const thrown = (sources: OptionSources) => {
    try {
      resolveOptions(sources)
    } catch (error) {
      const { message, fix } = error as Error & { fix: string }
      return `${message} ${fix}`
    }
    return ''
  }
  t.match(thrown({ env: { HOST: 'a b' } }), /"HOST" must be .*variable HOST/)
  t.match(thrown({ flags: { host: 'a b' } }), /"--host" must be .*--host/)
  t.match(thrown({ config: { host: 'a b' } }), /"host" must be .* Correct "host" in hydrant\.config\.ts/)
  t.notMatch(thrown({ given: { base: 'a b' } }), /Correct "base" in hydrant\.config\.ts/)

  const named = (code: string, sources: OptionSources) =>
    String(nameSources(Object.assign(new Error('it failed'), { code }), sources))
  t.equal(named('HYD_LISTEN_FAILED', { env: { HOST: 'x86_64' } }), 'Error: it failed ("host" is set by HOST)')
  t.equal(
    named('HYD_PORT_IN_USE', { flags: { port: '80' }, env: { PORT: '81', HOST: '::' } }),
    'Error: it failed ("host" is set by HOST, "port" is set by --port)',
  )
  t.equal(
    named('HYD_ADMIN_LISTEN_FAILED', { env: { HYDRANT_ADMIN: '10.0.0.1:9320' }, config: { admin: { port: 1 } } }),
    'Error: it failed ("admin" is set by HYDRANT_ADMIN, "admin.port" is set in hydrant.config.ts)',
  )
  t.equal(named('HYD_LISTEN_FAILED', { env: linksOf('HYDRANT') }), 'Error: it failed')
  t.equal(named('ENOENT', { env: { HOST: 'x' } }), 'Error: it failed')
})

t.test('closestMatch finds a similar name and no distant one', async (t) => {
  const names = ['port', 'host', 'base', 'trustProxy']
  t.equal(closestMatch('prot', names), 'port')
  t.equal(closestMatch('PORT', names), 'port')
  t.equal(closestMatch('trustProxi', names), 'trustProxy')
  t.equal(closestMatch('hots', names), 'host')
  t.equal(closestMatch('completely different', names), undefined)
  t.equal(closestMatch('', []), undefined)
  t.equal(closestMatch('port', names), 'port')
})
