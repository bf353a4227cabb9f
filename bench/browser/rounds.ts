import type { Browser, Page } from 'playwright-core'
import { type Peer, pathFor } from '../compare/peer.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { launchBrowser } from './browser.ts'

export interface Rounds<Sample> {
  peers: readonly Peer[]
  samples: number
  measure: (browser: Browser, url: string) => Promise<Sample>
  note: (text: string) => void
  onProblem: (text: string) => void
}

/** The samples of every server, by its name, and the version of Chromium. */
export interface RoundResults<Sample> {
  chromium: string
  servers: Readonly<Record<string, readonly Sample[]>>
}

/**
 * Measures all servers in turns. The first round is left out: the servers and the browser are cold then. Every second
 * round runs backwards, so that a drift of the machine cancels out.
 */
export async function measureRounds<Sample>(rounds: Rounds<Sample>): Promise<RoundResults<Sample>> {
  const { samples, measure, note, onProblem } = rounds
  const servers: Record<string, Sample[]> = {}
  const running = new Map<string, ServerProcess>()
  const browser = await launchBrowser()

  /** A server that fails once takes no further part. */
  async function attempt(name: string, work: () => Promise<void>) {
    try {
      await work()
    } catch (error) {
      onProblem(`${name}: ${error instanceof Error ? error.message : error}`)
      await running.get(name)?.stop()
      running.delete(name)
    }
  }

  try {
    for (const peer of rounds.peers) {
      await attempt(peer.name, async () => {
        running.set(peer.name, await startPeer(peer))
      })
    }
    for (let round = 0; round <= samples; round++) {
      note(`round ${round} of ${samples}`)
      const order = [...running]
      for (const [name, { url }] of round % 2 === 0 ? order : order.reverse()) {
        await attempt(name, async () => {
          const sample = await measure(browser, url)
          if (round > 0) servers[name] = [...(servers[name] ?? []), sample]
        })
      }
    }
    return { chromium: browser.version(), servers }
  } finally {
    await browser.close()
    for (const server of running.values()) await server.stop()
  }
}

/** Resolves with the object that a script of the page writes to the console after a prefix. */
export async function readResult<Result>(page: Page, prefix: string): Promise<Result> {
  const message = await page.waitForEvent('console', { predicate: (message) => message.text().startsWith(prefix) })
  // The cast is safe because the page's script writes a `Result` there.
  return JSON.parse(message.text().slice(prefix.length)) as Result
}

function startPeer({ dir, start }: Peer): Promise<ServerProcess> {
  return startServer({
    words: ['sh', '-c', start],
    dir,
    path: '/hello',
    log: `${dir}.log`,
    env: { PATH: pathFor(dir) },
  })
}
