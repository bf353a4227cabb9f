import { href } from 'hydrant/react'
import { z } from 'zod'
import * as commands from '../pages/docs/commands.mdx'
import * as firstCup from '../pages/docs/first-cup.mdx'
import * as install from '../pages/docs/install.mdx'
import * as schedules from '../pages/docs/schedules.mdx'

const Frontmatter = z.object({ title: z.string(), description: z.string(), chapter: z.string() })

/** The pages of the documentation, in the order of the navigation. */
export const pages = [
  readPage(href('/docs/install'), install),
  readPage(href('/docs/first-cup'), firstCup),
  readPage(href('/docs/schedules'), schedules),
  readPage(href('/docs/commands'), commands),
]

function readPage(path: string, { frontmatter, sections }: typeof install) {
  const { success, data, error } = Frontmatter.safeParse(frontmatter)
  if (!success) throw new Error(`The frontmatter of ${path} is wrong.\n${z.prettifyError(error)}`)
  return { path, ...data, sections }
}
