export const load = () => ({ cart: 'Cart' })
