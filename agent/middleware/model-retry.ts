/** Model calls that failed for a reason that passes are tried again. */
import { modelRetryMiddleware } from "langchain";
import { isTransient } from "../model-errors.ts";

/** Contract C5: three attempts, 1 s at first, 8 s at most. Afterwards, and for other causes, the error is thrown. */
export function createModelRetryMiddleware(initialDelayMs = 1000) {
  return modelRetryMiddleware({
    maxRetries: 2,
    initialDelayMs,
    maxDelayMs: 8000,
    retryOn: isTransient,
    onFailure: "error",
  });
}
