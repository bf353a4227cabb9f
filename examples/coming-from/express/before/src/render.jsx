import { renderToPipeableStream } from 'react-dom/server'
import { Document } from './document.jsx'

/** Sends a page. `props` are sent along, for the browser to hydrate with. */
export function render(response, page, props = {}) {
  const state = { page, props, member: response.locals.member }
  const { pipe } = renderToPipeableStream(<Document {...state} />, {
    // A "<" in the data must not end the script.
    bootstrapScriptContent: `window.state = ${JSON.stringify(state).replaceAll('<', '\\u003c')}`,
    bootstrapModules: ['/client.js'],
    onShellReady() {
      response.type('html')
      pipe(response)
    },
    onShellError(error) {
      console.error(error)
      response.status(500).type('html').send('<h1>This page cannot be shown</h1>')
    },
    onError: console.error,
  })
}
