/** The data folder cannot be used as it is. The message is for the operator and says what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}
