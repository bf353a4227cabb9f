import type { NavigatorContext } from '../navigation/navigator-context.ts'
import type { ResultView } from '../result-view.ts'

/** The objects that all submissions share. */
export interface SubmissionContext extends NavigatorContext {
  view: ResultView
  /** Marks everything that has been fetched so far as out of date. */
  expire(): void
}
