import { Agent } from 'node:http'

/** A client that makes one request after another. */
export interface Visitor {
  port: number
  agent: Agent
  /** The id of the build of its pages. */
  build: string
  /** The URL path of a script of the site. */
  asset: string
}

const KEEP_ALIVE_SHARE = 0.8

/** Returns an agent with its own client address. Some agents open a new connection for each request. */
export function createAgent(index: number): Agent {
  return new Agent({
    keepAlive: Math.random() < KEEP_ALIVE_SHARE,
    maxSockets: 1,
    localAddress: `127.1.${index}.${1 + Math.floor(Math.random() * 250)}`,
  })
}

/** Returns random letters. Digits are masked in messages, so only letters give a failure another fingerprint. */
export function randomWord(): string {
  return Array.from({ length: 12 }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join('')
}

export function pick<T>(...choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(Math.random() * choices.length)] ?? choices[0]
}
