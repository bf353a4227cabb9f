// Opens the streams of live pages over sockets, as the browser does.

import { EVENTS_TYPE } from '../../../src/shared/wire/navigation-protocol.ts'
import { until } from '../../until.ts'
import { marked } from '../lines.ts'

export const EVENTS = { accept: EVENTS_TYPE }

export interface OpenedStream {
  response: Response
  /** All that has arrived. */
  text(): string
  /** Resolves when the page has been asked to refresh that often. */
  refreshed(times: number): Promise<void>
  /** Resolves with all text when the stream has ended, or the connection is lost. */
  ended: Promise<string>
  leave(): void
}

/** How often a text asks the page to refresh. */
export const countRefreshes = (text: string) => text.split('data: refresh\n\n').length - 1

/** Returns a text without the lines that show that the connection is alive. */
export const withoutBeats = (text: string) => text.replaceAll(/(?<=\n\n)id: \S+\n\n/g, '')

/** The last position that a text tells. */
export const positionIn = (text: string) => /^id: (.*)$/m.exec(text.slice(text.lastIndexOf('id: ')))?.[1]

/** @param headers Those of a navigation, and others. */
export async function openStream(url: string, headers: Record<string, string>): Promise<OpenedStream> {
  const controller = new AbortController()
  const { signal } = controller
  const response = await fetch(marked(url), { headers: { ...EVENTS, ...headers }, redirect: 'manual', signal })
  let text = ''
  async function read() {
    const decoder = new TextDecoder()
    try {
      for await (const part of response.body ?? []) text += decoder.decode(part, { stream: true })
    } catch {}
    return text
  }
  return {
    response,
    text: () => text,
    refreshed: async (times) => void (await until(() => countRefreshes(text) >= times)),
    ended: read(),
    leave: () => controller.abort(),
  }
}
