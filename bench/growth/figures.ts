export interface GrowthFigures {
  sizes: readonly SizeFigures[]
  /** Builds of the same pages by Hydrant and by Next, or null without Next among the peers. */
  next: NextFigures | null
}

/** The figures of one generated site. */
export interface SizeFigures {
  pages: number
  buildMs: number
  /** The most resident memory of the build's processes in MB. */
  buildMb: number
  /** The figures with one process and with two workers. */
  served: readonly ServedFigures[]
}

export interface ServedFigures {
  workers: number
  /** The time from the start of the process to the first page. */
  startMs: number
  /** Resident memory of all processes after the start, in MB. */
  idleMb: number
  /** The time to the first byte of a page that has been requested before. */
  firstByteMs: number
  /** The time to the first byte of a page that nobody has requested yet. */
  firstVisitMs: number
  documentBytes: number
  /** The size of the scripts of a page, each compressed with gzip. */
  clientBytes: number
  /** Memory that one request for a page allocates. */
  requestBytes: number
  /** Memory that an open stream holds after a garbage collection. */
  streamBytes: number
}

export interface NextFigures {
  pages: number
  version: string
  hydrantMs: readonly number[]
  nextMs: number
  hydrantMb: number
  nextMb: number
}
