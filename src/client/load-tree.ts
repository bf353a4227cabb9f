import type { ErrorComponent, LayoutComponent, Tree, TreeLayout, TreeLeaf } from '../shared/tree/app-tree.tsx'
import { DefaultLayout } from '../shared/tree/boundary.tsx'
import { type CreateFormProps, createFormProps } from '../shared/tree/fields.ts'
import { type BootDocument, type BootModule, type BootPlan, layoutKey } from '../shared/wire/boot.ts'
import { importModule } from './import-module.ts'

/** Returns the URL of a file in the folder of this script. The replacement keeps the URL inside that folder. */
const assetUrl = (file: string) => new URL(file.replace(/[^\w.-]/g, ''), import.meta.url)

/**
 * Loads the modules of a page and its layouts: first the layouts from the root inwards, so that what they set up is there
 * for the others, as on the server. The document and the lines of a navigation preload them. Rejects when one of them
 * cannot be loaded.
 */
export async function loadTree(
  plan: Pick<BootPlan, 'layouts' | 'leaf'>,
  { url: href, params, shown }: BootDocument,
  revived: Promise<unknown[]>,
): Promise<Tree> {
  const url = new URL(href)
  const data = await revived
  const layouts: TreeLayout[] = []
  for (const layout of plan.layouts)
    layouts.push({
      ...layout,
      Component: (await loadModule<LayoutComponent>(layout.file)).default ?? DefaultLayout,
      css: stylesheets(layout),
      ErrorPage: (await loadModule<ErrorComponent>(layout.error)).default,
      key: layoutKey(layout, params),
    })
  const { leaf } = plan
  const module = await loadModule<unknown>(leaf.file)
  return {
    layouts,
    // The server has named a module with a component for this kind of leaf.
    leaf: {
      ...module,
      ...leaf,
      ...(HYDRANT_DEV && leaf.rules && { formProps: createFormProps }),
      shown,
      Component: module.default,
      css: stylesheets(leaf),
      // A page keeps its state when only its query changes. Another path, or another page, starts with new state.
      key: leaf.kind + leaf.file + url.pathname,
    } as TreeLeaf,
    data,
    params,
    address: { url },
  }
}

/** A module of the site. The build adds `formProps` to the modules of pages with a form. */
interface LoadedModule<Component> {
  default: Component | null
  formProps?: CreateFormProps
}

// The build has checked that each of the site's modules has a component as its default export.
function loadModule<Component>(file: string | null | undefined) {
  return (file ? importModule(assetUrl(file).href) : { default: null }) as
    | LoadedModule<Component>
    | Promise<LoadedModule<Component>>
}

function stylesheets({ css = [] }: BootModule): string[] {
  return css.map((file) => assetUrl(file).pathname)
}
