import type { SubmissionAnswer } from './replace-browser.ts'

/**
 * Sets the function that answers the submissions of `useSubmission`, in a test that renders components without a
 * server. It returns `{ data }` for an action that returned `data`. If it throws, the submission has an `error` with
 * the message. After this call, `refresh` and `prefetch` resolve without effect. Another call replaces the function.
 * Without a call, `submit` and `refresh` reject.
 */
export async function answerSubmissions(answer: SubmissionAnswer): Promise<void> {
  // The module loads React. `createTestSite` has to select React's build before that.
  const { replaceBrowser } = await import('./replace-browser.ts')
  replaceBrowser(answer)
}
