/** The pages that every server has. */
export const PAGES = ['hello', 'data', 'spiral', 'stream'] as const
export type PageName = (typeof PAGES)[number]

export interface SpeedFigures {
  servers: Readonly<Record<string, ServerFigures>>
}

export interface ServerFigures {
  versions: Readonly<Record<string, string>>
  /** Each page's load, one item per round. */
  load: Readonly<Partial<Record<PageName, readonly Round[]>>>
  /** The sizes of the documents. */
  documentBytes: Readonly<Partial<Record<PageName, number>>>
  /** The time to the first byte of the streamed page on an idle server. */
  firstByteMs: number | null
  /** The compressed scripts of the small page. */
  scriptBytes: number | null
  coldMs: number | null
  idleMb: number | null
  buildMs: number | null
  /** The number of installed packages, without those for development. */
  packages: number | null
}

/** One server under load for some seconds. */
export interface Round {
  perSecond: number
  /** Requests per second of the server's processor time. Other work on the machine hardly changes it. */
  perCpuSecond: number
}
