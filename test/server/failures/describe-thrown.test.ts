import t from 'tap'
import { classifyThrown } from '../../../src/server/errors/classify-thrown.ts'
import { notFound, redirect } from '../../../src/server/errors/http-error.ts'
import { describeThrown, framesIn } from '../../../src/server/failures/describe-thrown.ts'
import { findFailing } from '../../find-failing.ts'

function unreadable(): object {
  const refuse = () => {
    throw new Error('must not be looked at')
  }
  return { get: refuse, has: refuse, getPrototypeOf: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse }
}

class GetterError extends Error {
  override get message(): string {
    throw new Error('message')
  }
  override get stack(): string {
    throw new Error('stack')
  }
  override get name(): string {
    throw new Error('name')
  }
  override get cause(): unknown {
    throw new Error('cause')
  }
  get digest(): string {
    throw new Error('digest')
  }
  get code(): string {
    throw new Error('code')
  }
  get statusCode(): number {
    throw new Error('statusCode')
  }
}

function circle(): Error {
  const first = new Error('first')
  first.cause = new Error('second', { cause: first })
  return first
}

function deepCause(depth: number): Error {
  return depth === 0 ? new Error('innermost') : new Error(`level ${depth}`, { cause: deepCause(depth - 1) })
}

function wide(depth: number): Error {
  const parts = Array.from({ length: 10 }, () => (depth === 0 ? new Error('x'.repeat(5_000)) : wide(depth - 1)))
  return new AggregateError(parts, 'many')
}

const revoked = (target: object) => {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

/** Values of each kind that can be thrown. */
const thrown: Record<string, () => unknown> = {
  'a string': () => 'text',
  'an empty string': () => '',
  'a long string': () => 'x'.repeat(10_000_000),
  null: () => null,
  undefined: () => undefined,
  'a number': () => Number.NaN,
  'a big integer': () => 10n ** 5_000n,
  'a symbol': () => Symbol('secret'),
  'a symbol without a name': () => Symbol(),
  'a function': () => function thrower() {},
  'a class': () => class Thrown {},
  'an object with a digest': () => ({ digest: 'x' }),
  'an object with a digest that is none': () => Object.assign(new Error('x'), { digest: { toString: () => 'evil' } }),
  'a frozen object': () => Object.freeze({ a: 1 }),
  'a frozen error': () => Object.freeze(new Error('frozen')),
  'an object without prototype': () => Object.create(null),
  'an object that looks like an error': () => ({ message: 'm', stack: 's', name: 'n' }),
  'an array': () => [1, 2, 3],
  'a huge array': () => Array.from({ length: 100_000 }, (_, index) => index),
  'a Proxy': () => new Proxy({}, unreadable()),
  'a Proxy of an error': () => new Proxy(new Error('inner'), unreadable()),
  'a revoked Proxy': () => revoked({}),
  'an object below a Proxy': () => Object.create(new Proxy({}, unreadable())),
  'an error below a Proxy': () => Object.setPrototypeOf(new Error('x'), new Proxy({}, unreadable())),
  'an error with getters that throw': () => new GetterError(),
  'an error with a getter that gives another value each time': () => {
    let count = 0
    return Object.defineProperty(new Error('x'), 'message', { get: () => (count++ === 0 ? 'text' : 5) })
  },
  'an error with a long message': () => new Error('m'.repeat(10_000_000)),
  'an error with a long name': () => Object.assign(new Error('x'), { name: 'n'.repeat(1_000_000) }),
  'an error with a long stack': () => Object.assign(new Error('x'), { stack: '\n    at f (x)'.repeat(1_000_000) }),
  'an error with a long frame': () => Object.assign(new Error('x'), { stack: `\n    at ${'f'.repeat(1_000_000)}` }),
  'an error with a message that is no string': () => Object.assign(new Error('x'), { message: { a: 1 } }),
  'an error with a message that cannot be a string': () =>
    Object.assign(new Error('x'), { message: Object.create(null) }),
  'an error with a symbol for a message': () => Object.assign(new Error('x'), { message: Symbol('m') }),
  'an error without a stack': () => Object.assign(new Error('x'), { stack: undefined }),
  'an error with another stack': () => Object.assign(new Error('x'), { stack: 5 }),
  'an error without a prototype': () => Object.setPrototypeOf(new Error('x'), null),
  'a cause circle': circle,
  'an error that is its own cause': () => {
    const error = new Error('x')
    error.cause = error
    return error
  },
  'a long chain of causes': () => deepCause(1_000),
  'a cause that is null': () => new Error('x', { cause: null }),
  'a cause that is a Proxy': () => new Error('x', { cause: new Proxy({}, unreadable()) }),
  'an AggregateError': () => new AggregateError([new Error('one'), 'two', null], 'several'),
  'an AggregateError of itself': () => {
    const error = new AggregateError([], 'x')
    error.errors.push(error, error)
    return error
  },
  'an AggregateError of AggregateErrors': () => wide(4),
  'errors that are a Proxy': () => Object.assign(new Error('x'), { errors: new Proxy([1], unreadable()) }),
  'errors that are a revoked Proxy': () => Object.assign(new Error('x'), { errors: revoked([]) }),
  'errors with a getter that throws': () =>
    Object.assign(new Error('x'), {
      errors: Object.defineProperty([1], '0', {
        get: () => {
          throw new Error('no')
        },
      }),
    }),
  'a DOMException': () => new DOMException('aborted', 'AbortError'),
  'a date': () => new Date(0),
  'an error with a type that is a number': () => Object.assign(new Error('x'), { name: 5 }),
}

t.test('describes any value, and each is a failure', async (t) => {
  const failing = await findFailing(
    Object.keys(thrown),
    (name) => {
      const value = thrown[name]?.()
      const description = describeThrown(value)
      const { type, message, stack } = description
      return {
        type: type === '' ? type : typeof type,
        message: typeof message,
        hasFrames: framesIn(stack).every((frame) => typeof frame === 'string'),
        isShort: JSON.stringify(description).length < 400_000,
        meaning: classifyThrown(value),
      }
    },
    () => ({ type: 'string', message: 'string', hasFrames: true, isShort: true, meaning: { kind: 'failure' } }),
  )
  t.strictSame(failing, [])
})

t.test('describes errors, their causes and other values', async (t) => {
  t.match(describeThrown(new TypeError('text')), { type: 'TypeError', message: 'text', stack: /^ {4}at / })
  t.strictSame(describeThrown('text'), { type: 'string', message: 'text', stack: '' })
  t.strictSame(describeThrown(null), { type: 'null', message: 'nothing (null) was thrown', stack: '' })
  t.strictSame(describeThrown(undefined), { type: 'undefined', message: 'nothing (undefined) was thrown', stack: '' })
  t.strictSame(describeThrown(Symbol('x')), { type: 'symbol', message: 'Symbol(x)', stack: '' })
  t.strictSame(describeThrown({ user: 'a', password: 'b' }), {
    type: 'Object',
    message: 'an object with the keys user, password',
    stack: '',
  })
  t.match(describeThrown(Object.assign(new Error('x'), { digest: 'own' })), { ownDigest: 'own' })
  const codeOf = (code: unknown) => describeThrown(Object.assign(new Error('x'), { code })).code
  const constants = ['HYD_LOAD_TIMEOUT', 'FST_ERR_VALIDATION', 'ECONNREFUSED', 'ERR_HTTP2_STREAM_ERROR']
  t.strictSame(await findFailing(constants, codeOf, (code) => code), [])
  const others = ['123456', 'jane@example.org', 'Winterbottom', '', 20, null, `E${'X'.repeat(64)}`, 'A\nB']
  t.strictSame(await findFailing(others, codeOf), [], 'not a constant')
  t.equal(describeThrown({ code: 'SECRET' }).code, undefined, 'the values of an object are not shown')
  t.match(describeThrown(circle()), { message: 'first', cause: { message: 'second', cause: { type: 'Circular' } } })
  t.match(describeThrown(new AggregateError([new Error('one'), 'two'], 'several')), {
    type: 'AggregateError',
    message: 'several',
    errors: [{ message: 'one' }, { type: 'string', message: 'two' }],
  })
  const cut = describeThrown(new Error('m'.repeat(10_000_000)))
  t.ok(cut.message.length < 3_000)
  t.match(cut.message, /10000000 characters/, 'with the original length')
  t.ok(cut.stack.length > 0, 'with its frames')
  t.match(describeThrown(new GetterError()), {
    type: 'Error',
    message: '(cannot be read)',
    stack: /^ {4}at .*describe-thrown\.test/,
  })
})

t.test('frames come from the stack, whatever the message contains', async (t) => {
  const where = 'describe-thrown.test'
  const error = new Error('one\n    at fake (/evil.js:1:1)\ntwo')
  t.match(framesIn(describeThrown(error).stack)[0], where)
  t.notMatch(framesIn(describeThrown(error).stack).join('\n'), 'evil')
  const renamed = new Error('short')
  renamed.message = `while the products of the shop were being loaded from its database: ${renamed.message}`
  t.match(framesIn(describeThrown(renamed).stack)[0], where, 'a message that was changed later')
  t.equal(framesIn(describeThrown(renamed).stack).length, framesIn(describeThrown(new Error('short')).stack).length)
  const emptied = new Error('short')
  emptied.message = ''
  t.match(framesIn(describeThrown(emptied).stack)[0], where, 'a message that was taken away')
  const custom = new Error('x')
  custom.stack = 'no frames at all'
  t.strictSame(framesIn(describeThrown(custom).stack), [])
})

t.test('names the function whose value Hydrant did not receive', async (t) => {
  for (const [call, type, message] of [
    [() => redirect('/sign-in'), 'Redirection', /^redirect\('\/sign-in'\) was called .* is an "await" missing\?$/],
    [() => notFound(), 'NotFoundSignal', /^notFound\(\) was called/],
  ] as const) {
    try {
      call()
      t.fail('it must throw')
    } catch (thrown) {
      t.match(describeThrown(thrown), { type, message })
      t.match(message.source, String(thrown).slice(0, 5), 'code that catches it can show it')
    }
  }
})

t.test('says what to throw in place of a Response', async (t) => {
  t.match(describeThrown(new Response('secret', { status: 404 })), {
    type: 'Response',
    message: /^a Response with the status 404 was thrown, .* call redirect\(\) or notFound\(\)/,
  })
})
