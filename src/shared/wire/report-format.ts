// What a browser tells the server of a failure. Written by src/client/report.ts, read by src/server/reports/parse-report.ts.

/** Where it is sent, by POST as JSON. */
export const REPORT_PATH = '/_hydrant/report'

/** The most reports that one document sends. */
export const MAX_REPORTS = 10

export interface ReportedError {
  type: string
  message: string
  /** As the browser wrote it. */
  stack: string
  cause?: ReportedError
}

interface ReportedPage {
  /** Id of the build that the page runs. */
  build: string
  /** Path of the page's address. */
  path: string
}

export type Report =
  | (ReportedPage & {
      kind: 'failure'
      /** Does the page work nevertheless? */
      isRecovered: boolean
      error: ReportedError
      /** React's stack of components. */
      componentStack?: string
    })
  /** What failed on the server under that digest has been rendered by the browser. */
  | (ReportedPage & { kind: 'recovered'; digest: string })

/** Most characters of each text; what is longer is cut by the browser and refused by the server. */
export const REPORT_LENGTHS = {
  build: 64,
  path: 2_000,
  type: 100,
  message: 2_000,
  stack: 5_000,
  componentStack: 4_000,
  digest: 20,
} as const

/** How many causes of causes are told. */
export const MAX_REPORTED_CAUSES = 2
