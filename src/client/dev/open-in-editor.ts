import type { DevPlace } from '../../shared/wire/dev-protocol.ts'

/**
 * Asks the development server to open a place in the developer's editor. Returns what the developer should read: an
 * empty text when the editor opens.
 *
 * @param base The path below which the site is mounted, without a trailing slash.
 */
export async function openInEditor(base: string, { file, line, column }: DevPlace): Promise<string> {
  const query = new URLSearchParams({ file, line: String(line), column: String(column) })
  try {
    const response = await fetch(`${base}/_hydrant/dev/open?${query}`, { method: 'POST' })
    return response.ok ? '' : (await response.text()).trim()
  } catch {
    return 'The development server does not respond.'
  }
}
