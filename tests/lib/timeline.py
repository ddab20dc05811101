# SPDX-License-Identifier: Apache-2.0
"""Jank types of FrameTimeline, and the causes of frames.csv that agree with them."""

NONE = 1
# Bits of a jank type that agree with a cause.
AGREES = {"app": 64, "gpu": 64, "stuffing": 128 | 512, "surfaceflinger-cpu": 16, "surfaceflinger-gpu": 32, "scheduling": 2, "display": 8,
          "prediction": 4, "dropped": 1024, "unknown": 256, "": 0}
NAMES = {2: "SF_SCHEDULING", 4: "PREDICTION_ERROR", 8: "DISPLAY_HAL", 16: "SF_CPU", 32: "SF_GPU", 64: "APP_DEADLINE", 128: "BUFFER_STUFFING",
         256: "UNKNOWN", 512: "SF_STUFFING", 1024: "DROPPED"}


def name_of(jank):
    return "+".join(text for bit, text in NAMES.items() if jank & bit) or "none"
