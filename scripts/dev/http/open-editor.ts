import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import { isOutside, toSitePath } from '../../../src/server/util/paths.ts'
import { messageOf } from '../../../src/server/util/unknown-values.ts'
import { findExport } from '../../build/bundles/read-exports.ts'
import { isSameOrigin } from './dev-access.ts'

/** Matches the URL of the route, below any base. */
const OPEN_URL = /^(?:\/[^?]*)?\/_hydrant\/dev\/open(?:\?|$)/

/** An editor that does not exist fails at once. The process of one that opens may run as long as the editor. */
const FAILS_WITHIN_MS = 400

const ADVICE = 'Set LAUNCH_EDITOR to the command of your editor, for example LAUNCH_EDITOR=code.'

/** A response to a request for the route. */
interface EditorResponse {
  status: number
  /** The text that the overlay shows. */
  text: string
}

/**
 * Returns the function that responds to requests to open a file of the site in `dir`, or of its workspace, in the
 * developer's editor. It returns false for any other request. `LAUNCH_EDITOR` names the editor; without it, the editor
 * is a running one, `VISUAL` or `EDITOR`.
 */
export function createEditorRoute(dir: string): (request: IncomingMessage, response: ServerResponse) => boolean {
  const root = findWorkspace(realpathSync(dir))
  return (request, response) => {
    if (!OPEN_URL.test(request.url ?? '')) return false
    respond(request, dir, root)
      .catch(describeProblem)
      .then(({ status, text }) => {
        const type = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
        response.writeHead(status, { ...type, 'x-content-type-options': 'nosniff' }).end(text)
      })
    return true
  }
}

async function respond(
  { method, headers, url = '' }: IncomingMessage,
  dir: string,
  root: string,
): Promise<EditorResponse> {
  if (method !== 'POST') return { status: 405, text: 'Send a POST request.\n' }
  if (!isSameOrigin(headers)) return { status: 403, text: 'Only pages of this server may open files.\n' }
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  const name = query.get('file') ?? ''
  const file = findFile(resolve(dir, name), root)
  if (file === null) return { status: 404, text: `${name} is not a file of the site or its workspace.\n` }
  const position = [query.get('line'), query.get('column')].filter((part) => /^[1-9]\d{0,6}$/.test(part ?? ''))
  if (position.length === 0) position.push(...(await positionOfExport(dir, name, query.get('export'))))
  const problem = await launch([file, ...position].join(':'))
  return problem === null ? { status: 204, text: '' } : { status: 500, text: `${problem}\n` }
}

/** Returns the line and the column of an export of a module in the site; an empty list if they are unknown. */
async function positionOfExport(dir: string, file: string, name: string | null): Promise<string[]> {
  if (!name) return []
  // The file may be no module.
  const location = await findExport(dir, file, name).catch(() => null)
  return location?.line ? [String(location.line), String(location.column)] : []
}

// A path that is too long, or an editor whose program cannot be started.
function describeProblem(error: unknown): EditorResponse {
  return { status: 500, text: `${messageOf(error)}\n` }
}

/** Opens a place in the editor. Returns what is wrong, or null. */
async function launch(place: string): Promise<string | null> {
  const { default: launchEditor } = await import('#launch-editor')
  return new Promise((done) => {
    const timer = setTimeout(done, FAILS_WITHIN_MS, null)
    launchEditor(place, (_file, message) => {
      clearTimeout(timer)
      done(`${message ? `The editor failed: ${message}` : 'No editor was found.'} ${ADVICE}`)
    })
  })
}

/** Returns the path of an existing file inside `root`, with symbolic links resolved; null for any other path. */
function findFile(path: string, root: string): string | null {
  if (path.includes('\0')) return null
  const found = statSync(path, { throwIfNoEntry: false })?.isFile() ? realpathSync(path) : null
  return found === null || isOutside(toSitePath(root, found)) ? null : found
}

/** Returns the folder of the workspace or repository around a folder, or the folder itself. */
function findWorkspace(dir: string): string {
  for (let folder = dir; ; folder = dirname(folder)) {
    if (isWorkspace(folder)) return folder
    if (folder === dirname(folder)) return dir
  }
}

function isWorkspace(folder: string): boolean {
  if (existsSync(join(folder, '.git')) || existsSync(join(folder, 'pnpm-workspace.yaml'))) return true
  try {
    return 'workspaces' in JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  } catch {
    // Most folders have no package.json.
    return false
  }
}
