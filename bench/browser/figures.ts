/** The times of every server. Samples with the same place belong to one round. */
export interface NavigationFigures {
  chromium: string
  /** The factor by which the page's processor is slowed down. */
  slowdown: number
  servers: Readonly<Record<string, readonly NavigationSample[]>>
}

/** A click on a link to a page that the browser has fetched in advance, if the framework does that. */
export interface NavigationSample {
  /** The time from the click until the document has the next page. */
  shownMs: number
  /** The time from the click until the browser has painted the next page. */
  paintedMs: number
  /** The number of requests after the click. */
  requests: number
}

export interface HydrationFigures {
  chromium: string
  slowdown: number
  servers: Readonly<Record<string, readonly HydrationSample[]>>
}

export interface HydrationSample {
  /** The time from the navigation until a click on the counter takes effect and React has the last tile. */
  interactiveMs: number
}
