const mark = <i />
export const legacy = () => `${mark.type} jsx`
