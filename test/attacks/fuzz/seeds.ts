// The requests and texts that the fuzzer starts from.

import { CANARY } from './mutate.ts'

const HEAD = ['Host: shop.example', 'Connection: close']

function request(line: string, headers: readonly string[] = [], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  return [`${line} HTTP/1.1`, ...HEAD, ...headers, ...length, '', body].join('\r\n')
}

const canary = encodeURIComponent(CANARY)
const multipart = [
  '--b',
  'Content-Disposition: form-data; name="a"',
  '',
  CANARY,
  '--b',
  'Content-Disposition: form-data; name="file"; filename="a.txt"',
  'Content-Type: text/plain',
  '',
  'content of the file',
  '--b--',
  '',
].join('\r\n')
const report = JSON.stringify({
  kind: 'failure',
  build: 'x',
  path: '/given/x',
  isRecovered: false,
  error: {
    type: 'Error',
    message: CANARY,
    stack: 'Error: x\n    at load (http://shop.example/_hydrant/assets/a.js:1:2)',
  },
})
const recovered = JSON.stringify({ kind: 'recovered', build: 'x', path: '/', digest: '7K3M9QZD-0F4XTB' })
const BROWSER = ['Origin: http://shop.example', 'Sec-Fetch-Site: same-origin']

/** Requests as bytes, one character per byte. `{build}` is replaced by the build's id. */
export const REQUESTS: readonly [string, ...string[]] = [
  request('GET /', ['Accept: text/html']),
  request(`GET /given/${canary}?q=${canary}&a=1`, ['Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8']),
  request('GET /given/a%2fb', ['Accept: application/json;q=0.5, text/html;q=0.4']),
  request(`GET /rest/a/b/${canary}/`, ['Accept: */*']),
  request('GET /nowhere/', ['Accept: application/problem+json']),
  request('HEAD /given/x'),
  request('OPTIONS /given/x'),
  request('GET http://other.example/given/x?a=b'),
  request('GET /robots.txt', ['Range: bytes=0-4', 'If-None-Match: W/"a", "b"', 'If-Modified-Since: x']),
  request('GET /_hydrant/assets/none-AAAAAAAA.js', ['Accept-Encoding: br;q=1.0, gzip;q=0.8, *;q=0.1']),
  request('GET /given/x?a=1&_hydrant', ['hydrant-build: {build}', 'hydrant-layouts: a b']),
  request('GET /_hydrant/live'),
  request('GET /given/x', [
    'Forwarded: for="[::1]:80";host=evil.example;proto=https, for=10.0.0.1',
    'X-Forwarded-For: 1.2.3.4, 10.0.0.1',
    'X-Forwarded-Host: evil.example',
    'X-Forwarded-Proto: https',
  ]),
  request('GET /given/x', [
    'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    `Cookie: session=${'s'.repeat(20)}; a="b"`,
    'Authorization: Bearer abcdefghij',
    `User-Agent: Mozilla/5.0 ${CANARY}`,
    'Accept-Language: de',
    'If-None-Match: *',
    'DNT: 1',
  ]),
  request(
    'POST /act',
    ['Content-Type: application/x-www-form-urlencoded', ...BROWSER],
    `a=1&a=2&text=${canary}&__proto__=x`,
  ),
  request('POST /act', ['Content-Type: multipart/form-data; boundary=b', ...BROWSER], multipart),
  request(
    'POST /act',
    ['Content-Type: application/json', 'Accept: application/json'],
    '{"a":[1,{"b":null}],"c":"\\u003c"}',
  ),
  request('PUT /act', ['Content-Type: text/plain;charset=UTF-8', 'Sec-Fetch-Site: cross-site'], 'text'),
  request('POST /act?_hydrant', ['hydrant-build: {build}', 'Content-Type: multipart/form-data; boundary=b'], multipart),
  request('POST /given/x', ['Content-Type: application/x-www-form-urlencoded'], 'a=1'),
  request('POST /_hydrant/report', ['Content-Type: application/json', ...BROWSER], report),
  request('POST /_hydrant/report', ['Content-Type: text/plain', ...BROWSER], recovered),
  'POST /act HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n3;x=y\r\na=1\r\n0\r\nTrailer: x\r\n\r\n',
  `${request('GET /').replace('Connection: close\r\n', '')}${request('GET /nowhere')}`,
]
