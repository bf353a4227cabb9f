/** What `hydrant` exports, without its types. A build loads neither the server nor React. */
export const HYDRANT_EXPORTS = [
  'HttpError',
  'addDraining',
  'createServer',
  'default',
  'defineConfig',
  'digestOf',
  'hydrant',
  'invalidForm',
  'localPath',
  'notFound',
  'parseDigest',
  'perRequest',
  'redirect',
  'rewriteUrl',
]

/** What `hydrant/react` exports, without its types. */
export const REACT_EXPORTS = [
  'FailureBoundary',
  'Image',
  'href',
  'prefetch',
  'publicEnv',
  'refresh',
  'useNavigation',
  'useSubmission',
]
