import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Files } from '../write-app.ts'
import type { Marks } from './in-page.ts'
import {
  componentPath,
  componentSource,
  cssModuleSource,
  cssSource,
  GROUP,
  hookSource,
  LEAF,
  PLACES,
} from './sources.ts'
import { LOAD, loadSource, SERVER, type Subject, serverSource } from './subjects.ts'

/** An edit of one subject: the files to write, and the texts that the page then shows. */
export interface Edit {
  files: Files
  marks: Marks
}

export interface Kind {
  name: string
  /** One line for the report. */
  title: string
  /** Whether only Hydrant has files of this kind. */
  isHydrantOnly: boolean
  /** Returns the edit that changes the text. */
  edit(subject: Subject, text: string): Edit
}

export const KINDS: readonly Kind[] = [
  kind('component', 'a component', (_, text) =>
    mark(`component-${LEAF}`, PLACES.component, text, componentSource(LEAF, text)),
  ),
  kind('page', 'a page', ({ page }, text) => mark('page', PLACES.page, text, page(text))),
  kind('layout', 'the layout', ({ layout }, text) => mark('layout', PLACES.layout, text, layout(text))),
  kind('hook', 'a hook that ten components use', (_, text) => mark('hook', PLACES.hook, text, hookSource(text))),
  kind('css', 'a stylesheet', (_, text) => mark('css', PLACES.css, text, cssSource(text))),
  kind('css-module', 'a CSS module', (_, text) => mark('css-module', PLACES.cssModule, text, cssModuleSource(text))),
  kind('batch', 'ten components, written one after the other', (_, text) => {
    const indexes = Array.from({ length: GROUP }, (_, index) => index)
    return {
      files: Object.fromEntries(indexes.map((index) => [componentPath(index), componentSource(index, text)])),
      marks: Object.fromEntries(indexes.map((index) => [`component-${index}`, text])),
    }
  }),
  { ...kind('load', 'a load', (_, text) => mark('load', LOAD, text, loadSource(text))), isHydrantOnly: true },
  {
    ...kind('server', '`server.ts`', (_, text) => mark('server', SERVER, text, serverSource(text))),
    isHydrantOnly: true,
  },
]

export function writeEdit({ dir }: Subject, { files }: Edit) {
  for (const [path, contents] of Object.entries(files)) writeFileSync(join(dir, path), contents)
}

function kind(name: string, title: string, edit: Kind['edit']): Kind {
  return { name, title, edit, isHydrantOnly: false }
}

function mark(name: string, path: string, text: string, contents: string): Edit {
  return { files: { [path]: contents }, marks: { [name]: text } }
}
