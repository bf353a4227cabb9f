import type { Answer } from './exchange.ts'

/** The outcome of a request: a complete response, a clean refusal, a visitor who left, or a wrong response. */
export type Outcome = { kind: 'whole' | 'refused' | 'left' } | { kind: 'wrong'; problem: string }

export interface Expectation {
  status: number
  /** Text that the response must contain. */
  holds?: string
  /** Text with which the response must end. */
  ends?: string
  headers?: Record<string, RegExp>
}

/** Statuses that are accepted for any request. */
const REFUSALS = [408, 429, 503]

export function judge({ status, headers, text, isComplete }: Answer, expected: Expectation): Outcome {
  if (!isComplete) return wrong(`${status} was cut in the middle`)
  if (status !== expected.status) {
    return REFUSALS.includes(status) && text !== ''
      ? { kind: 'refused' }
      : wrong(`${status} instead of ${expected.status}: ${text.slice(0, 200)}`)
  }
  const { holds = '', ends = '' } = expected
  if (!text.includes(holds)) return wrong(`${status} without ${JSON.stringify(holds)}: ${text.slice(-200)}`)
  if (!text.trimEnd().endsWith(ends)) return wrong(`${status} ends with ${JSON.stringify(text.slice(-100))}`)
  for (const [name, pattern] of Object.entries(expected.headers ?? {})) {
    if (!pattern.test(String(headers[name]))) return wrong(`${status} with ${name}: ${headers[name]}`)
  }
  return { kind: status >= 400 && status < 500 ? 'refused' : 'whole' }
}

export function wrong(problem: string): Outcome {
  return { kind: 'wrong', problem }
}
