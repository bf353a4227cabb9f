import { href } from 'hydrant/react'

export interface Chapter {
  path: string
  title: string
  about: string
}

/** The chapters of the documentation, in reading order. */
export const chapters: readonly Chapter[] = [
  {
    path: href('/docs/development'),
    title: 'Development',
    about: 'hydrant dev: each edit on the screen, with the state of the page, and errors with their place.',
  },
  {
    path: href('/docs/pages'),
    title: 'Pages and layouts',
    about: 'How files become URLs, and how layouts wrap pages.',
  },
  {
    path: href('/docs/loading'),
    title: 'Loading data',
    about: 'load, guards, their context, deferred promises, redirects and refusals.',
  },
  {
    path: href('/docs/forms'),
    title: 'Forms',
    about: 'action, schemas, search, useSubmission, files and limits, and forms of other sites.',
  },
  {
    path: href('/docs/navigation'),
    title: 'Navigation',
    about: 'Page changes without loading documents: what keeps its state, prefetching, what the browser handles.',
  },
  { path: href('/docs/styling'), title: 'Styles and assets', about: 'CSS, CSS modules, imported files and public/.' },
  {
    path: href('/docs/server'),
    title: 'Fastify',
    about: 'server.ts, the plugin for an existing app, createServer, and tests with inject.',
  },
  {
    path: href('/docs/http'),
    title: 'HTTP responses',
    about: 'The response to each request: document, JSON, status, headers.',
  },
  {
    path: href('/docs/scripts'),
    title: 'Use it from a script',
    about: 'A page’s data, its form and its errors with curl, wget and Python.',
  },
  {
    path: href('/docs/failures'),
    title: 'Failures',
    about: 'The sentence, the digest, the log line and the fallback.',
  },
  {
    path: href('/docs/errors'),
    title: 'From a digest to the line',
    about: 'hydrant errors: which failures happened, how often, and where in the source.',
  },
  {
    path: href('/docs/console'),
    title: 'Console',
    about: 'The failures of a site, on a separate port: pages, JSON and metrics for operators.',
  },
  { path: href('/docs/options'), title: 'Commands and options', about: 'Every command, flag, option and variable.' },
  {
    path: href('/docs/deploy'),
    title: 'Deploying',
    about: 'Build once, start anywhere: proxies, a base, workers, systemd, containers.',
  },
]

export function neighbours(path: string): { previous: Chapter | undefined; next: Chapter | undefined } {
  const index = chapters.findIndex((chapter) => chapter.path === path)
  if (index < 0) return { previous: undefined, next: chapters[0] }
  return { previous: chapters[index - 1], next: chapters[index + 1] }
}
