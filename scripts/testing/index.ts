// The public entry `hydrant/test`, for tests of a site.

export { answerSubmissions, createFields } from './components.ts'
export type { SentSubmission, SubmissionAnswer } from './replace-browser.ts'
export { createTestSite, type TestSite, type TestSiteOptions } from './test-site.ts'
export type { FormFields, SubmitOptions, TestPage, TestResponse } from './visitor.ts'
export { createVisitor, type Visitor } from './visitor.ts'
