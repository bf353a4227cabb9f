import { createElement, Suspense } from 'react'
import { jsx } from 'react/jsx-runtime'
import type { Mode } from '../build-output/manifest.ts'
import type { RenderToPipe } from '../context/react-renderer.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { DocumentSink } from './document-sink.ts'

/** React's builds. Its packages choose one by `NODE_ENV` when they are first imported. */
export type ReactMode = Mode

/**
 * Checks which of React's builds are loaded. They must be the same build, because React's packages read each other's
 * internals. The development build must not serve visitors: it writes messages and stacks of errors into the document.
 * The check looks at the packages and not at `NODE_ENV`, which may have changed since they were loaded.
 *
 * Throws HYD_REACT_MIXED, and HYD_REACT_DEVELOPMENT for a production build of the site.
 */
export async function checkReact(render: RenderToPipe, mode: ReactMode): Promise<void> {
  const loaded: Record<string, ReactMode> = {
    react: modeOfElement(createElement('p')),
    'react/jsx-runtime': modeOfElement(jsx('p', {})),
    'react-dom/server': (await writesErrors(render)) ? 'development' : 'production',
  }
  const parts = Object.entries(loaded)
  if (new Set(Object.values(loaded)).size > 1) {
    const list = parts.map(([name, build]) => `${name} (${build})`).join(', ')
    throw createHydrantError('HYD_REACT_MIXED', [list])
  }
  if (mode === 'production' && loaded.react === 'development') throw createHydrantError('HYD_REACT_DEVELOPMENT', [])
}

// Only elements of the development build have this field.
function modeOfElement(element: object): ReactMode {
  return '_store' in element ? 'development' : 'production'
}

const MESSAGE = 'React tells visitors of this error.'

/** Returns whether React writes the message of an error into the document. */
function writesErrors(render: RenderToPipe): Promise<boolean> {
  function Failing(): never {
    throw new Error(MESSAGE)
  }
  const element = createElement('div', null, createElement(Suspense, null, createElement(Failing)))
  return new Promise((resolve) => {
    const sink = new DocumentSink(null, Number.POSITIVE_INFINITY, () => resolve(sink.close().includes(MESSAGE)))
    const rendering = render(element, {
      onError() {},
      onShellReady: () => void rendering.pipe(sink),
      onShellError: () => resolve(false),
    })
  })
}
