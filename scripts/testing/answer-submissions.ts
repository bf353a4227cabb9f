import type { SubmissionAnswer } from './take-submissions.ts'

/**
 * Answers the submissions of `useSubmission` in a test that renders components without a server: `{ data }` is the
 * result of an action that returned `data`. If the function throws, the submission has an `error` with its message. From
 * then on, `refresh` and `prefetch` resolve without effect. Another call replaces the function.
 */
export async function answerSubmissions(answer: SubmissionAnswer): Promise<void> {
  // It loads React, and `createTestSite` decides before that which build of it.
  const { takeSubmissions } = await import('./take-submissions.ts')
  takeSubmissions(answer)
}
