import createError from '@fastify/error'
import type { FastifyInstance } from 'fastify'
import { use } from 'react'
import t from 'tap'
import { classifyThrown } from '../../../src/server/errors/classify-thrown.ts'
import { HttpError } from '../../../src/server/errors/http-error.ts'
import { testSite } from '../../test-site.ts'
import { JSON_ONLY } from '../served.ts'

// Which errors with a 4xx status are for visitors. The shapes are those of the clients' published sources.

const SECRET = 'Invalid API Key provided: sk_live_abcd'
const withFields = (fields: object, message = SECRET) => Object.assign(new Error(message), fields)

/** Returns a class as a client of another service defines it. */
function upstream(name: string, fields: object, getters: Record<string, unknown> = {}): Error {
  const Upstream = class extends Error {}
  Object.defineProperty(Upstream, 'name', { value: name })
  for (const [key, value] of Object.entries(getters))
    Object.defineProperty(Upstream.prototype, key, { get: () => value })
  return Object.assign(new Upstream(SECRET), { name }, fields)
}

const headers = { 'content-type': 'application/json' }
const FAILURES: Record<string, Error> = {
  stripe: upstream('StripeAuthenticationError', {
    type: 'StripeAuthenticationError',
    raw: {},
    rawType: 'invalid_request_error',
    headers,
    requestId: 'req_1',
    statusCode: 401,
    code: 'x',
    param: undefined,
  }),
  '@elastic/elasticsearch': upstream(
    'ResponseError',
    { meta: { body: {}, statusCode: 404, headers }, options: { redaction: {} } },
    { statusCode: 404, body: {}, headers },
  ),
  '@opensearch-project/opensearch': upstream(
    'ResponseError',
    { meta: { statusCode: 403 } },
    { statusCode: 403, body: {}, headers },
  ),
  'aws-sdk 2': withFields({
    code: 'AccessDenied',
    time: new Date(0),
    requestId: null,
    statusCode: 403,
    retryable: false,
    retryDelay: 1,
  }),
  '@aws-sdk 3': upstream('AccessDenied', {
    $fault: 'client',
    $metadata: { httpStatusCode: 403, requestId: 'x' },
    $response: undefined,
    Code: 'AccessDenied',
    statusCode: 403,
  }),
  '@azure/core-rest-pipeline': upstream('RestError', {
    code: 'AuthenticationFailed',
    statusCode: 403,
    request: {},
    response: {},
    details: {},
  }),
  '@azure/cosmos': upstream('Error', {
    code: 401,
    body: { code: 'Unauthorized' },
    headers,
    activityId: 'x',
    statusCode: 401,
  }),
  'axios 0 and 1': upstream('AxiosError', {
    isAxiosError: true,
    config: {},
    request: {},
    response: { status: 401 },
    status: 401,
    statusCode: 401,
    code: 'ERR_BAD_REQUEST',
  }),
  'got 9': upstream('HTTPError', {
    statusCode: 404,
    statusMessage: 'Not Found',
    headers,
    body: '',
    hostname: 'internal',
    method: 'GET',
    path: '/',
    protocol: 'https:',
    url: 'https://internal/',
  }),
  'got 14': upstream(
    'HTTPError',
    { code: 'ERR_NON_2XX_3XX_RESPONSE', timings: {}, options: {}, statusCode: 404 },
    { response: {}, request: {} },
  ),
  'undici 6': upstream('ResponseStatusCodeError', {
    code: 'UND_ERR_RESPONSE_STATUS_CODE',
    body: {},
    status: 401,
    statusCode: 401,
    headers,
  }),
  'undici 7': upstream('ResponseError', { code: 'UND_ERR_RESPONSE', statusCode: 401, body: {}, headers }),
  ky: upstream('HTTPError', { response: {}, request: {}, options: {}, statusCode: 401 }),
  ofetch: upstream(
    'FetchError',
    {},
    {
      request: 'x',
      options: {},
      response: {},
      data: {},
      status: 401,
      statusCode: 401,
      statusText: '',
      statusMessage: '',
    },
  ),
  'node-fetch': upstream('FetchError', {
    type: 'system',
    errno: 'ECONNREFUSED',
    code: 'ECONNREFUSED',
    statusCode: 404,
  }),
  'request-promise': upstream('StatusCodeError', { statusCode: 401, error: {}, options: {}, response: {} }),
  '@octokit/request-error': upstream('HttpError', {
    status: 401,
    statusCode: 401,
    request: { url: 'x' },
    response: {},
  }),
  googleapis: upstream('GaxiosError', {
    config: {},
    response: {},
    code: '403',
    status: 403,
    statusCode: 403,
    errors: [],
  }),
  '@google-cloud/storage': upstream('ApiError', { code: 403, errors: [], statusCode: 403 }),
  '@grpc/grpc-js': withFields({ code: 7, details: 'x', metadata: {}, statusCode: 403 }),
  '@sendgrid/client': upstream('ResponseError', { code: 401, response: { headers, body: {} }, statusCode: 401 }),
  postmark: upstream('InvalidAPIKeyError', { code: 10, statusCode: 401 }),
  twilio: upstream('RestException', {
    status: 401,
    statusCode: 401,
    code: 20003,
    moreInfo: 'https://x',
    details: undefined,
  }),
  'web-push': upstream('WebPushError', { statusCode: 410, headers, body: '', endpoint: 'https://push.example/secret' }),
  dockerode: withFields({ reason: 'no such container', statusCode: 404, json: { message: 'x' } }),
  nano: withFields({
    scope: 'couch',
    statusCode: 401,
    errid: 'non_200',
    reason: 'x',
    error: 'unauthorized',
    headers,
    request: {},
  }),
  '@slack/web-api': withFields({
    code: 'slack_webapi_http_error',
    statusCode: 401,
    statusMessage: 'x',
    headers,
    body: '',
  }),
  '@influxdata/influxdb-client': upstream('HttpError', {
    statusCode: 401,
    statusMessage: 'x',
    body: '',
    contentType: 'x',
    json: {},
    code: 'unauthorized',
  }),
  '@kubernetes/client-node': upstream('HttpError', { response: {}, body: {}, statusCode: 403 }),
  square: upstream('ApiError', { request: {}, result: {}, headers, statusCode: 401, body: '', errors: [] }),
  auth0: upstream('ManagementApiError', { statusCode: 401, errorCode: 'x', error: 'x', msg: 'x', body: '{}', headers }),
  '@sanity/client': upstream('ClientError', { response: {}, statusCode: 401, responseBody: '', details: {} }),
  openai: upstream('AuthenticationError', {
    status: 401,
    statusCode: 401,
    headers,
    error: {},
    code: null,
    type: 'x',
    request_id: 'x',
  }),
  '@hapi/wreck': withFields({
    isBoom: true,
    data: { isResponseError: true, headers, res: {} },
    output: { statusCode: 401 },
    statusCode: 401,
    res: {},
  }),
  'a class that names its upstream': upstream('UpstreamError', { name: 'Error', statusCode: 401 }),
  'what must not be shown': withFields({ expose: false, statusCode: 404 }),
  'a HttpError that must not be shown': Object.assign(new HttpError(404, SECRET), { expose: false }),
  'an unexposed error of @fastify/error': Object.assign(new (createError('OWN', SECRET, 403))(), { expose: false }),
  'a 404 of an upstream without a message': withFields({ statusCode: 404, response: {} }, ''),
  'an error with a property that throws': Object.defineProperty(withFields({ statusCode: 403 }), 'expose', {
    get() {
      throw new Error('no')
    },
  }),
}

class OutOfStock extends Error {
  readonly statusCode = 409
  readonly product: number
  constructor(product: number) {
    super('Sold out')
    this.product = product
  }
}
class Typed extends HttpError {
  readonly type = 'https://shop.example/problems/members-only'
}
const REFUSALS: Record<string, [Error, number, string]> = {
  'a plain Error': [withFields({ statusCode: 403 }, 'Members only'), 403, 'Members only'],
  'with a name as its code': [
    withFields({ statusCode: 403, code: 'MEMBERS_ONLY', status: 403 }, 'Members only'),
    403,
    'Members only',
  ],
  'with a cause that is an upstream’s': [
    Object.assign(new Error('Try later', { cause: FAILURES.stripe }), { statusCode: 402 }),
    402,
    'Try later',
  ],
  'a class of the site': [new OutOfStock(7), 409, 'Sold out'],
  HttpError: [new HttpError(403, 'Members only'), 403, 'Members only'],
  'a class that extends it': [new Typed(403, 'Members only'), 403, 'Members only'],
  '@fastify/error': [new (createError('OWN_CODE', 'Members only', 403))(), 403, 'Members only'],
  '@fastify/error with headers to send': [
    Object.assign(new (createError('OWN_CODE', 'Slower', 429))(), { headers }),
    429,
    'Slower',
  ],
  'Fastify itself': [
    withFields({ code: 'FST_ERR_VALIDATION', statusCode: 400, validation: [], request: 1 }, 'body/a must be string'),
    400,
    'body/a must be string',
  ],
  'http-errors': [
    withFields({ expose: true, statusCode: 418, status: 418, headers, type: 'tea' }, 'A teapot'),
    418,
    'A teapot',
  ],
}

t.test('errors of clients of other services are failures, whatever their status', async (t) => {
  const clients = Object.keys(FAILURES)
  t.strictSame(
    clients.map((client) => [client, classifyThrown(FAILURES[client])]),
    clients.map((client) => [client, { kind: 'failure' }]),
  )
})

t.test('errors that are thrown for visitors are refusals', async (t) => {
  const refusals = Object.entries(REFUSALS)
  t.strictSame(
    refusals.map(([kind, [error]]) => [kind, classifyThrown(error)]),
    refusals.map(([kind, [error, status, message]]) => {
      const headers = Reflect.get(error, 'headers') ?? {}
      return [kind, { kind: 'refusal', status, message, headers }]
    }),
  )
})

t.test('headers of a refusal have names in lower case, and those that cannot be sent are left out', async (t) => {
  const headers = { 'Retry-After': '60', 'x-object': {}, 'x-none': undefined, 'x-line': 'a\r\nb: c', 'a name': '1' }
  const error = Object.assign(new HttpError(429, 'Slower'), { headers })
  t.strictSame(Reflect.get(classifyThrown(error), 'headers'), { 'retry-after': '60' })
  t.strictSame(classifyThrown(Object.assign(new HttpError(429, 'Slower'), { headers: 'none' })), {
    kind: 'refusal',
    status: 429,
    message: 'Slower',
    headers: {},
  })
})

t.test('a failing upstream is a 500 with a digest, wherever its error is thrown, and reveals nothing', async (t) => {
  const fail = () => {
    throw FAILURES.stripe
  }
  const site = {
    '/': {},
    '/load': { load: fail, action: fail },
    '/late': {
      Component: ({ data }: { data: { part: Promise<string> } }) => <p>{use(data.part)}</p>,
      load: () => ({ part: Promise.reject(FAILURES.stripe) }),
    },
    '/shell': fail,
  }
  async function server(app: FastifyInstance) {
    app.get('/route', async () => fail())
    app.addHook('preHandler', async ({ headers }) => {
      if (headers['x-hook']) fail()
    })
  }
  const { app } = await testSite(t, site, { server, ledger: false })
  const html = { accept: 'text/html' }
  for (const request of [
    { url: '/load', headers: JSON_ONLY },
    { url: '/load', headers: html },
    { url: '/late', headers: JSON_ONLY },
    { url: '/late', headers: html },
    { url: '/shell', headers: html },
    { url: '/route', headers: JSON_ONLY },
    { url: '/', headers: { ...html, 'x-hook': '1' } },
    {
      method: 'POST',
      url: '/load',
      headers: { ...html, 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'a=b',
    },
  ] as const) {
    const { statusCode, headers, body } = await app.inject(request)
    t.equal(statusCode, 500, request.url)
    t.match(headers['x-error-digest'], /^[\w]{8}-[\w]{6}$/)
    t.notMatch(body, 'sk_live')
  }
})
