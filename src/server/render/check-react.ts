import { createElement, Suspense } from 'react'
import { jsx } from 'react/jsx-runtime'
import type { Mode } from '../build-output/manifest.ts'
import type { RenderToPipe } from '../context/react-renderer.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { DocumentSink } from './document-sink.ts'

/** React's packages choose between these two when they are first imported, by `NODE_ENV`. */
export type ReactMode = Mode

/**
 * Refuses to serve with what is not fit for visitors. React's development build writes the message and the stack of an error
 * into the document. Its packages must all be of one build: they read each other's internals. What `NODE_ENV` says now does
 * not matter, as it may have changed since they were loaded.
 *
 * Throws HYD_REACT_MIXED and, for a production build of the site, HYD_REACT_DEVELOPMENT.
 */
export async function checkReact(render: RenderToPipe, mode: ReactMode): Promise<void> {
  const loaded: Record<string, ReactMode> = {
    react: modeOfElement(createElement('p')),
    'react/jsx-runtime': modeOfElement(jsx('p', {})),
    'react-dom/server': (await tellsErrors(render)) ? 'development' : 'production',
  }
  const parts = Object.entries(loaded)
  if (new Set(Object.values(loaded)).size > 1) {
    const list = parts.map(([name, own]) => `${name} (${own})`).join(', ')
    throw createHydrantError('HYD_REACT_MIXED', [list])
  }
  if (mode === 'production' && loaded.react === 'development') throw createHydrantError('HYD_REACT_DEVELOPMENT', [])
}

// Only elements of the development build know where they were validated.
function modeOfElement(element: object): ReactMode {
  return '_store' in element ? 'development' : 'production'
}

const MESSAGE = 'React tells visitors of this error.'

/** Does the message of an error reach the document? */
function tellsErrors(render: RenderToPipe): Promise<boolean> {
  function Failing(): never {
    throw new Error(MESSAGE)
  }
  const element = createElement('div', null, createElement(Suspense, null, createElement(Failing)))
  return new Promise((resolve) => {
    const sink = new DocumentSink(
      () => '',
      Number.POSITIVE_INFINITY,
      () => resolve(sink.close().includes(MESSAGE)),
    )
    const rendering = render(element, {
      onError() {},
      onShellReady: () => void rendering.pipe(sink),
      onShellError: () => resolve(false),
    })
  })
}
