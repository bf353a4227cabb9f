export const load = () => ({ shop: { name: 'Shop' } })
