import type { Address } from '../../shared/tree/app-tree.tsx'

const ADDRESS = Symbol('address')
type WithAddress = { [ADDRESS]: Address }

// One accessor for all: V8 would give each object literal with a getter a shape of its own, and keep it, and all that
// the object refers to, until a full collection.
const URL_PROPERTY: PropertyDescriptor & ThisType<WithAddress> = {
  get() {
    return this[ADDRESS].url
  },
  enumerable: true,
}

/** Adds `url` to a component's props, which is parsed when somebody asks for it: most pages never do. */
export function addLazyUrl<Props extends object>(props: Props, address: Address): Props & { readonly url: URL } {
  const withAddress: Props & Partial<WithAddress> = props
  withAddress[ADDRESS] = address
  // What `URL_PROPERTY` adds.
  return Object.defineProperty(withAddress, 'url', URL_PROPERTY) as Props & { readonly url: URL }
}
